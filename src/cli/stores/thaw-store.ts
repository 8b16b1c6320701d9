/** Takes the frozen history of a store back into its tables. */

import { recount } from '../../indexing/evm/write/recount.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { thawFrom } from '../../store/history/freeze.ts'
import { historyOf } from '../../store/history/history.ts'
import { awaitLease, holdLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import type { RepairWork } from './repair-work.ts'

/** Another writer has at most this long to end. */
const leaseLimitMs = 600_000

/**
 * Thaws all history of a store. Returns whether any was frozen. Every row of it is written again.
 * Throws `lease-lost`, `store-*`.
 */
export async function thawStore({ config, store, world, owner }: RepairWork): Promise<boolean> {
  const location = storeLocation(config)
  const database = await openStore(location, store.key, store.tables, 'write')
  try {
    const history = historyOf(database)
    if (history === undefined) return false
    const { clock } = world
    const signal = AbortSignal.timeout(leaseLimitMs)
    const lease = await awaitLease(database, owner, { clock, signal })
    const isThawed = await database.transaction(async (writer) => {
      await holdLease(writer, lease, clock)
      return thawFrom({ writer, history, recount }, 0)
    })
    // Nobody else would: without segments a deployment that does not freeze looks for none.
    await database.transaction(async (writer) => {
      await holdLease(writer, lease, clock)
      await history.removeUnnamed(writer)
    })
    return isThawed
  } finally {
    await database.close()
  }
}
