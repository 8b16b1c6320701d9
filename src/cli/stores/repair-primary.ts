/** Mends the store of a primary network: it is replayed from the blocks it keeps. */

import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { faultOf } from '../../core/fault.ts'
import { rebuildPrimary } from '../../indexing/primary/run/rebuild.ts'
import { serverOf, storeLocation } from '../../service/stores/store-location.ts'
import type { StoreLocation } from '../../store/open.ts'
import { meta } from '../../store/schema/control.ts'
import { rawBlock } from '../../store/schema/primary/ledger.ts'
import { openConfigured } from './configured-stores.ts'
import type { RepairWork } from './store-verdict.ts'
import { withTaken } from './take-store.ts'

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
  console.log(`${store.name}: is replayed from the blocks it keeps`)
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
  const { name: key } = work.store
  const folder = join(dataDir, 'rebuilt')
  mkdirSync(folder, { recursive: true })
  removeFiles(folder, key)
  await replayed(work, { to: { store: 'embedded', dataDir: folder }, key })
  removeFiles(dataDir, key)
  renameSync(join(folder, `${key}.sqlite`), join(dataDir, `${key}.sqlite`))
}

/** Other processes may wait to write the store: its lease is held for as long as the replay takes. */
async function replaceInServer(work: RepairWork): Promise<void> {
  const { name } = work.store
  const server = serverOf(storeLocation(work.config), name)
  const place = { to: { store: server, dataDir: '' }, key: `rebuilt-${name}` }
  const { changeNamespaces } = await import('../../store/postgres/namespaces.ts')
  await withTaken(work, async ({ kept }) => {
    await kept(async (lost) => {
      await changeNamespaces(server, { drop: [place.key] })
      await replayed(work, place, lost)
    })
    // From here on no process finds the old lease, and its holder loses it with its next commit.
    await changeNamespaces(server, { drop: [name], rename: [[place.key, name]] })
  })
}

/** Where a new store is made. */
type Place = { readonly to: StoreLocation; readonly key: string }

async function replayed(
  { config, store, world }: RepairWork,
  place: Place,
  lost?: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.timeout(limitMs)
  await using from = await openConfigured(config, store, world)
  await rebuildPrimary({
    from,
    ...place,
    world,
    signal: lost === undefined ? limit : AbortSignal.any([limit, lost]),
    progress: () => undefined,
  })
}

function mustReadAgain({ config, store }: RepairWork, reason: string): false {
  const what =
    config.store === 'embedded'
      ? `delete ${join(config.dataDir, `${store.name}.sqlite`)}*`
      : `drop the schema of ${store.name}`
  console.log(`${store.name}: cannot be mended (${reason}): ${what}, and start; it is read again`)
  return false
}

/** Removes a store, of which nothing is needed. Throws as `withTaken`. */
export async function removeStore(work: Omit<RepairWork, 'verdict'>): Promise<void> {
  const { config, store } = work
  if (config.store === 'embedded') {
    removeFiles(config.dataDir, store.name)
    return
  }
  const server = serverOf(storeLocation(config), store.name)
  const { changeNamespaces } = await import('../../store/postgres/namespaces.ts')
  await withTaken(work, () => changeNamespaces(server, { drop: [store.name] }))
}

/** Removes the file of a store and its log. Nobody may have it open. */
function removeFiles(dataDir: string, name: string): void {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(dataDir, `${name}.sqlite${suffix}`), { force: true })
}
