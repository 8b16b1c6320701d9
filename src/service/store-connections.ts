/** Where the stores of a process lie, and how its threads share its connections to PostgreSQL. */

import type { Config } from '../config/settings.ts'
import type { World } from '../core/world.ts'
import type { StoreLocation } from '../store/engine/open.ts'
import type { ConnectionLimits } from '../store/engine/postgres-server.ts'
import type { Replicas } from '../store/engine/replicas.ts'
import { storeLocation } from './store-location.ts'
import { version } from './version.ts'

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
  /** For the threads that index. */
  readonly location: StoreLocation
  /** For the main thread. */
  readonly store: StoreLocation
  /** Where it reads, where there are replicas. */
  readonly readings: Replicas | undefined
}

/** The stores that the settings name. */
export async function storesOf(
  config: Config,
  { random }: Pick<World, 'random'>,
): Promise<ProcessStores> {
  const shares = shareConnections(config.role, config['postgres.connections'])
  const owner = Buffer.from(random.bytes(8)).toString('hex')
  const freezing = config['index.freeze'] ? { freeze: { firn: version } } : {}
  const location: StoreLocation = {
    ...storeLocation(config),
    owner,
    ...freezing,
  }
  // No statement of an answer may take longer than the answer.
  const readTimeoutMs = config['api.handlerTimeoutMs']
  const store: StoreLocation = { ...location, connections: shares.main, readTimeoutMs }
  const urls = config['postgres.replicas']
  if (config.store === 'embedded' || urls.length === 0)
    return { owner, shares, location, store, readings: undefined }
  const { openReplicas } = await import('../store/engine/open-replicas.ts')
  const readServers = openReplicas({ ...store, url: config.store }, urls)
  const { replicas } = readServers
  return { owner, shares, location, store: { ...store, readServers }, readings: replicas }
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
  // A chain is written in a few milliseconds a second: two are enough for many.
  const decoder = { read: 1, write: 0 }
  const spare = total - 2 * marks - decoder.read - 1 - 2
  const serving = role === 'all' ? Math.min(spare - 1, Math.ceil((spare * 2) / 3)) : 1
  return {
    main: { read: serving, write: 1 },
    decoder,
    writer: { read: spare - serving, write: 2 },
  }
}
