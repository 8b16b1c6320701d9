/** Mends the store of a primary network: it is replayed from the blocks it keeps. */

import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { faultOf } from '../../core/fault.ts'
import { rebuildPrimary } from '../../indexing/primary/run/rebuild.ts'
import { meta } from '../../store/schema/control.ts'
import { rawBlock } from '../../store/schema/primary-ledger.ts'
import { openConfigured } from './configured-stores.ts'
import { removeStore } from './remove-store.ts'
import type { RepairWork } from './repair-work.ts'

/** A mainnet store takes hours. */
const limitMs = 7 * 86_400_000

/**
 * Makes every row again and puts the new store in the place of the old one; on PostgreSQL that is
 * the operator's. Gives false where the kept blocks are damaged as well, or the store stays.
 */
export async function repairPrimary(work: RepairWork): Promise<boolean> {
  const { config, store, verdict } = work
  const isLost = verdict.damaged.some(({ table }) => table === rawBlock || table === meta)
  if (isLost || verdict.rows === 0) return toldToReadAgain(work, 'the blocks it keeps are damaged')
  if (config.store !== 'embedded') {
    console.log(`${store.key}: firn rebuild --primary makes it again from its blocks`)
    return false
  }
  const folder = join(config.dataDir, 'rebuilt')
  mkdirSync(folder, { recursive: true })
  removeStore(folder, store.key)
  console.log(`${store.key}: is replayed from the blocks it keeps`)
  try {
    await replayed(work, folder)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return toldToReadAgain(work, fault.message)
  }
  removeStore(config.dataDir, store.key)
  renameSync(join(folder, `${store.key}.sqlite`), join(config.dataDir, `${store.key}.sqlite`))
  return true
}

async function replayed({ config, store, world }: RepairWork, folder: string): Promise<void> {
  const from = await openConfigured(config, store)
  try {
    await rebuildPrimary({
      from,
      to: { store: 'embedded', dataDir: folder },
      key: store.key,
      world,
      signal: AbortSignal.timeout(limitMs),
      progress: () => undefined,
    })
  } finally {
    await from.close()
  }
}

function toldToReadAgain({ config, store }: RepairWork, reason: string): false {
  const what =
    config.store === 'embedded'
      ? `delete ${join(config.dataDir, `${store.key}.sqlite`)}*`
      : `drop the schema of ${store.key}`
  console.log(`${store.key}: cannot be mended (${reason}): ${what}, and start; it is read again`)
  return false
}
