/** Where the stores of a process lie, and how its threads share its connections to PostgreSQL. */

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { BucketSettings } from '../../store/bucket/open-bucket.ts'
import type { Replicas } from '../../store/engine/replicas.ts'
import type { StoreLocation } from '../../store/open.ts'
import type { ConnectionLimits } from '../../store/postgres/server.ts'
import { bucketSettings, type HistorySettings, withBucket } from './bucket-settings.ts'
import { storeLocation, type StoreSettings } from './store-location.ts'

/** Limits of each thread. One that writes has one connection more, for its marks. */
export type ThreadConnections = {
  readonly main: ConnectionLimits
  readonly decoder: ConnectionLimits
  readonly writer: ConnectionLimits
}

/** Stores as this process uses them. */
export type ProcessStores = {
  /** Names this process in leases, and no other. */
  readonly owner: string
  readonly shares: ThreadConnections
  /** For the threads that index, which open the bucket by themselves. */
  readonly location: StoreLocation
  readonly bucket: BucketSettings | undefined
  /** For the main thread. */
  readonly store: StoreLocation
  /** Servers that it reads from; embedded stores have none. */
  readonly readings: Replicas | undefined
}

/** The settings that say where stores lie and who shares them. */
export type SharedStores = StoreSettings &
  HistorySettings &
  Pick<
    Config,
    | 'role'
    | 'index.freeze'
    | 'index.freezeRows'
    | 'api.workers'
    | 'api.handlerTimeoutMs'
    | 'postgres.connections'
    | 'postgres.replicas'
  >

/** The main thread's limits for a further answering thread. */
export type GivenShare = { readonly main: ConnectionLimits; readonly owner: string }

/** The stores that the settings name. Throws `bad-config` where connections are too few. */
export async function storesOf(
  config: SharedStores,
  world: World,
  given?: GivenShare,
): Promise<ProcessStores> {
  const all = shareConnections(config.role, config['postgres.connections'])
  const shares = { ...all, main: given?.main ?? dividedShare(config, all.main) }
  const owner = given?.owner ?? Buffer.from(world.random.bytes(8)).toString('hex')
  const freezing = isFreezing(config)
    ? { freeze: { rowsInTables: config['index.freezeRows'] } }
    : {}
  const location: StoreLocation = { ...storeLocation(config), owner, ...freezing }
  // No statement of an answer may take longer than the answer.
  const readTimeoutMs = config['api.handlerTimeoutMs']
  const bucket = bucketSettings(config)
  const own = { ...location, connections: shares.main, readTimeoutMs }
  const store = withBucket(own, config, world)
  const common = { owner, shares, location, bucket }
  if (config.store === 'embedded') return { ...common, store, readings: undefined }
  const { openReplicas } = await import('../../store/postgres/open-replicas.ts')
  const readServers = openReplicas({ ...store, url: config.store }, config['postgres.replicas'])
  const { replicas } = readServers
  return { ...common, store: { ...store, readServers }, readings: replicas }
}

/**
 * Beside PostgreSQL history needs a place that is named: another host may take a chain over, and files on the disk of
 * the first would be gone with it. Throws `bad-config` where it is to freeze without one.
 */
function isFreezing(config: SharedStores): boolean {
  const wanted = config['index.freeze']
  const hasPlace = config.store === 'embedded' || config['index.store'] !== ''
  if (wanted === 'true' && !hasPlace && config.role !== 'serve')
    throw new Fault(
      'bad-config',
      'index.freeze needs index.store beside PostgreSQL: a bucket, or a folder that every host of this database has',
    )
  return wanted === 'true' || (wanted === 'auto' && hasPlace)
}

/** The share of each thread that answers. Throws `bad-config` where nothing is left to read with. */
function dividedShare(config: SharedStores, { read, write }: ConnectionLimits): ConnectionLimits {
  const workers = config['api.workers']
  if (config.store === 'embedded' || workers === 1) return { read, write }
  // Every thread writes what callers used, and to whom webhooks go.
  const each = Math.floor((read - (workers - 1) * write) / workers)
  if (each >= 1) return { read: each, write }
  const needed = config['postgres.connections'] + workers * (write + 1) - read - write
  throw new Fault(
    'bad-config',
    `postgres.connections must be at least ${needed} for ${workers} api.workers`,
  )
}

/** Marks of writers: those of chains, and that of webhooks in the main thread. */
const marks = 1

/** Shares out `total` connections, the setting `postgres.connections`: 8 at least. */
export function shareConnections(
  role: 'all' | 'index' | 'serve',
  total: number,
): ThreadConnections {
  if (role === 'serve') {
    const main = { read: total - 2 - marks, write: 2 }
    return { main, decoder: { read: 0, write: 0 }, writer: { read: 0, write: 0 } }
  }
  // A chain is written in a few milliseconds a second: two are enough for many. One that waits for a lock keeps its own.
  const write = Math.max(2, Math.floor(total / 8))
  const decoder = { read: 1, write: 0 }
  const spare = total - 2 * marks - decoder.read - 1 - write
  const serving = role === 'all' ? Math.min(spare - 1, Math.ceil((spare * 2) / 3)) : 1
  return { main: { read: serving, write: 1 }, decoder, writer: { read: spare - serving, write } }
}
