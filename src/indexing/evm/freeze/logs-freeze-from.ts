/**
 * The moment from which logs of a store freeze.
 *
 * Processes of a version before layout 7 that have the store open read its tables alone, and would answer without logs
 * that moved into files. While a deployment is upgraded they still serve, so a store that has logs when this version
 * opens it first keeps them in tables for a day.
 */

import type { Clock } from '../../../core/world.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import type { Database, Reader } from '../../../store/engine/database.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import { metaText, putMeta } from '../../../store/meta.ts'
import { logsFreezeFromName } from '../../../store/schema/control.ts'
import { logStage } from '../../../store/schema/logs.ts'

const upgradeMs = 86_400_000

/** Keeps the moment in a store that has none. Comes before the first write of this process. */
export async function keepFreezeFrom(store: Database, lease: Lease, clock: Clock): Promise<void> {
  if ((await metaText(store, logsFreezeFromName)) !== undefined) return
  const isNew = (await getCheckpoint(store, logStage)) === undefined
  const from = isNew ? 0 : clock.now() + upgradeMs
  await underLease(store, { lease, clock }, (writer) =>
    putMeta(writer, { [logsFreezeFromName]: String(from) }),
  )
}

/** The moment, Unix milliseconds. Cost: one look-up by key. */
export async function freezeFrom(reader: Reader): Promise<number> {
  return Number((await metaText(reader, logsFreezeFromName)) ?? 0)
}
