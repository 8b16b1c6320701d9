/** Looks before a start: recordings are there; the data folder is, and nobody else writes it. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { checkOpenWritable } from '../../store/engine/layout.ts'
import { leaseRow } from '../../store/lease.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { controlTables } from '../../store/schema/control.ts'
import { checkNotRestoring } from '../../store/snapshot/restore-snapshot.ts'
import { Claim } from '../../store/sqlite/claim.ts'
import type { ReadableStore } from '../status/readiness.ts'
import { storeLocation } from './store-location.ts'

/** Between two looks at the leases of a folder that another process has. */
const lookEveryMs = 250

/** Makes the folder. Throws `bad-config` when it cannot be made, or not written though `role` is to. */
export function makeDataFolder({ dataDir: path, role }: Pick<Config, 'dataDir' | 'role'>): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, role === 'serve' ? constants.R_OK : constants.W_OK)
  } catch (cause) {
    throw new Fault('bad-config', `data folder cannot be made or written: ${path}`, { cause })
  }
}

/**
 * Keeps what this process writes from other users of the machine, wherever its folder lies, and the stores that are there:
 * they have secrets of webhooks and keys of page tokens. A file of another owner stays as it is.
 */
export function keepPrivate({ dataDir }: Pick<Config, 'dataDir'>): void {
  process.umask(0o077)
  for (const file of readdirSync(dataDir).filter((name) => /\.sqlite(-\w+)?$/.test(name))) {
    const path = join(dataDir, file)
    try {
      if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    } catch (error) {
      const isForeign = error instanceof Error && 'code' in error && error.code === 'EPERM'
      if (!isForeign && existsSync(path)) throw error
    }
  }
}

/** Bytes of each embedded store in a folder, with its write-ahead log. */
export function storeSizes(path: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  for (const file of existsSync(path) ? readdirSync(path) : []) {
    const store = /^(.+)\.sqlite(-wal)?$/.exec(file)?.[1]
    if (store === undefined) continue
    const size = statSync(join(path, file), { throwIfNoEntry: false })?.size ?? 0
    sizes.set(store, (sizes.get(store) ?? 0) + size)
  }
  return sizes
}

/** Throws `bad-config` naming every recording that is not there. */
export function checkRecordings(config: Config): void {
  const named = [
    ...Object.entries(config.networks).map(([name, network]) => ({
      place: `networks.${name}`,
      recording: network?.recording ?? '',
    })),
    ...config.chains.map(({ recording }, at) => ({ place: `chains[${at}]`, recording })),
  ]
  const missing = named
    .filter(({ recording }) => recording !== '' && !existsSync(recording))
    .map(({ place, recording }) => `${place}.recording does not exist: ${recording}`)
  if (missing.length > 0) throw new Fault('bad-config', missing.join('; '))
}

/**
 * Marks this process as the one that writes the folder. Returns the function that ends this.
 *
 * Throws `lease-lost` while another living process has it, or or a snapshot is being restored there. A process that has it but hangs (its
 * leases stand still) is no obstacle: its stores are taken over. Nothing is marked where the
 * stores are not in the folder: a second writer on PostgreSQL waits, ready to take over.
 */
export async function claimDataFolder(
  config: Config,
  stores: readonly string[],
  clock: Clock,
): Promise<() => void> {
  const location = storeLocation(config)
  checkNotRestoring(config.dataDir)
  if (config.role === 'serve') return () => undefined
  if (config.store !== 'embedded') await checkVersions(location, stores)
  if (config.store !== 'embedded') return () => undefined
  const claim = new Claim(join(config.dataDir, 'firn.claim'), 'firn')
  if (!claim.take() && (await isWritten(config, stores, clock)))
    throw new Fault(
      'lease-lost',
      `another Firn writes this data; stop it, or start this one with --role serve: ${config.dataDir}`,
    )
  return () => claim.release()
}

/** Throws `store-version` for a store of a newer Firn, before anything is made beside it. */
async function checkVersions(location: StoreLocation, stores: readonly string[]): Promise<void> {
  for (const name of stores) {
    try {
      await using store = await openStore(location, name, controlTables, 'read')
      await checkOpenWritable(store, { name, place: 'it' })
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code !== 'store-failed') throw error
      // Opening a store for writing reports a server that is away; other stores are not made yet.
      if (fault.detail['sqlstate'] === '') return
    }
  }
}

/**
 * Returns whether a lease moves, or is missing because the other process has only begun. Takes as
 * long as a lease lasts where none moves.
 */
export async function isWritten(
  config: Config,
  stores: readonly string[],
  clock: Clock,
): Promise<boolean> {
  const first = await stampsOf(config, stores)
  const until = clock.monotonic() + config['index.leaseSeconds'] * 1_000 + lookEveryMs
  while (clock.monotonic() < until) {
    await clock.sleep(lookEveryMs)
    if ((await stampsOf(config, stores)) !== first) return true
  }
  return first === ''
}

/** Signs of life of all writers, as one text. */
async function stampsOf(config: Config, stores: readonly string[]): Promise<string> {
  const stamps: string[] = []
  for (const name of stores) {
    try {
      const location = storeLocation(config)
      await using database = await openStore(location, name, controlTables, 'read')
      const row = await leaseRow(database)
      if (row !== undefined) stamps.push(`${name} ${row.epoch} ${row.stamp}`)
    } catch (error) {
      // A store that is not made yet has no writer.
      if (faultOf(error)?.code !== 'store-failed') throw error
    }
  }
  return stamps.join()
}

/** Sizes are read from a server this often at most: it looks at every file of a store. */
const readEveryMs = 60_000

/** Sizes by name of the store; of stores on a server those of a while ago, none at first. */
export function sizeReader(
  config: Pick<Config, 'store' | 'dataDir'>,
  stores: () => Promise<readonly ReadableStore[]>,
  clock: Clock,
): () => ReadonlyMap<string, number> {
  if (config.store === 'embedded') return () => storeSizes(config.dataDir)
  let sizes: ReadonlyMap<string, number> = new Map()
  let readMs = Number.NEGATIVE_INFINITY
  const read = async (): Promise<void> => {
    const found = new Map<string, number>()
    for (const { key, store } of await stores()) found.set(key, await store.sizeBytes())
    sizes = found
  }
  return () => {
    if (clock.monotonic() - readMs >= readEveryMs) {
      readMs = clock.monotonic()
      // A server that is away is reported by health; the sizes of before stay.
      void read().catch(() => undefined)
    }
    return sizes
  }
}
