/** Mends the store of a primary network: it is replayed from the blocks it keeps. */

import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { faultOf } from '../../core/fault.ts'
import { rebuildPrimary } from '../../indexing/primary/run/rebuild.ts'
import { serverOf, storeLocation } from '../../service/stores/store-location.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { meta } from '../../store/schema/control.ts'
import { rawBlock } from '../../store/schema/primary/ledger.ts'
import { openConfigured } from './configured-stores.ts'
import type { RepairWork } from './store-verdict.ts'
import { takeStore, whileKept } from './take-store.ts'

/** A mainnet store takes hours. */
const limitMs = 7 * 86_400_000

/**
 * Makes every row again and puts the new store in the place of the old one. Returns false where the
 * kept blocks are damaged as well.
 */
export async function repairPrimary(work: RepairWork): Promise<boolean> {
  const { config, store, verdict } = work
  const isLost = verdict.damaged.some(({ table }) => table === rawBlock || table === meta)
  if (isLost || verdict.rows === 0) return mustReadAgain(work, 'the blocks it keeps are damaged')
  console.log(`${store.key}: is replayed from the blocks it keeps`)
  try {
    if (config.store === 'embedded') await replaceFile(work)
    else await replaceInServer(work)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined || fault.code === 'lease-lost') throw error
    // A server that is away says nothing of the blocks.
    if (config.store !== 'embedded' && fault.retryable) throw error
    return mustReadAgain(work, fault.message)
  }
  return true
}

async function replaceFile(work: RepairWork): Promise<void> {
  const { dataDir } = work.config
  const { key } = work.store
  const folder = join(dataDir, 'rebuilt')
  mkdirSync(folder, { recursive: true })
  removeStore(folder, key)
  await replayed(work, { to: { store: 'embedded', dataDir: folder }, key })
  removeStore(dataDir, key)
  renameSync(join(folder, `${key}.sqlite`), join(dataDir, `${key}.sqlite`))
}

/** Other processes may wait to write the store: its lease is held for as long as the replay takes. */
async function replaceInServer(work: RepairWork): Promise<void> {
  const { config, store, world, owner } = work
  const { removeNamespace, replaceNamespace } =
    await import('../../store/engine/postgres/namespaces.ts')
  const server = serverOf(storeLocation(config), store.key)
  const place = { to: { store: server, dataDir: '' }, key: `rebuilt-${store.key}` }
  const database = await openStore(storeLocation(config), store.key, store.tables, 'write')
  try {
    const { clock } = world
    const lease = await takeStore(database, owner, clock)
    await whileKept(database, { lease, clock }, async (lost) => {
      await removeNamespace(server, place.key)
      await replayed(work, place, lost)
    })
    // From here on no process finds the old lease, and its holder loses it with its next commit.
    await replaceNamespace(server, store.key, place.key)
  } finally {
    await database.close()
  }
}

/** Where a new store is made. */
type Place = { readonly to: StoreLocation; readonly key: string }

async function replayed(
  { config, store, world }: RepairWork,
  place: Place,
  lost?: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.timeout(limitMs)
  const from = await openConfigured(config, store)
  try {
    await rebuildPrimary({
      from,
      ...place,
      world,
      signal: lost === undefined ? limit : AbortSignal.any([limit, lost]),
      progress: () => undefined,
    })
  } finally {
    await from.close()
  }
}

function mustReadAgain({ config, store }: RepairWork, reason: string): false {
  const what =
    config.store === 'embedded'
      ? `delete ${join(config.dataDir, `${store.key}.sqlite`)}*`
      : `drop the schema of ${store.key}`
  console.log(`${store.key}: cannot be mended (${reason}): ${what}, and start; it is read again`)
  return false
}

// Removes the files of an embedded store.

/** Removes the file of store `key` and its log. It must not be open anywhere. */
export function removeStore(dataDir: string, key: string): void {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(dataDir, `${key}.sqlite${suffix}`), { force: true })
}
