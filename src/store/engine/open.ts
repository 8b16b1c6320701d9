/** Opens the store of a chain or network with the engine the settings name. */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { summed } from '../sums/summed-database.ts'
import type { Database } from './database.ts'
import { type Migration, migrations } from './format.ts'
import type { ReadServers } from './open-replicas.ts'
import type { ConnectionLimits } from './postgres-server.ts'
import { openSqliteReader, openSqliteWriter, type SqliteOptions } from './sqlite.ts'
import type { Table } from './table.ts'

/** Where stores lie: settings `store` and `dataDir`, and what a store may use. */
export type StoreLocation = {
  /** `embedded`, or `postgres://user@host:5432/db`. */
  readonly store: string
  /** Folder of the embedded stores; `<name>.sqlite` each. */
  readonly dataDir: string
  /** Page cache of a writing connection, bytes; embedded only. */
  readonly writerCacheBytes?: number
  /** Connections of this thread at most; PostgreSQL only. */
  readonly connections?: ConnectionLimits
  /** Names this process in its leases and in the server's list of sessions; PostgreSQL only. */
  readonly owner?: string
  /** Where stores are read instead of at `store`; PostgreSQL only. */
  readonly readServers?: ReadServers
  /** Longest a reading statement may take, milliseconds; PostgreSQL only. */
  readonly readTimeoutMs?: number
  /** In place of the product's own, for tests. */
  readonly migrations?: readonly Migration[]
  /**
   * What stands between a store and its engine: it opens the store, and notices damage or harms it.
   */
  readonly around?: OpenAround
}

/** Opens a store by `open`, now or later, and gives what stands in its place. */
export type OpenAround = (
  open: () => Promise<Database>,
  store: { readonly name: string; readonly mode: 'read' | 'write' },
) => Promise<Database>

/**
 * Opens store `name` (`evm-43113`, `primary-fuji`, `shared`: lower-case letters, digits, `-`)
 * with `tables`. A `write` opening makes it; a `read` opening demands that it exists.
 *
 * Throws `store-version`, `store-failed`, `store-full`, and `bad-config` for a location or name
 * of another form.
 */
export async function openStore(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
  mode: 'read' | 'write',
): Promise<Database> {
  if (!/^[a-z0-9-]{1,48}$/.test(name)) throw new Fault('bad-config', `not a store name: ${name}`)
  const common = { name, tables, migrations: location.migrations ?? migrations }
  const open = (): Promise<Database> => openEngine(location, common, mode)
  const database = await (location.around?.(open, { name, mode }) ?? open())
  return mode === 'write' ? summed(database, tables) : database
}

/**
 * Opens a store for writing, whose sums are rows like others: a copy of another one. Its name may
 * be longer than that of a store. Throws as {@link openStore}.
 */
export function openCopy(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
): Promise<Database> {
  return openEngine(
    location,
    { name, tables, migrations: location.migrations ?? migrations },
    'write',
  )
}

async function openEngine(
  location: StoreLocation,
  common: Pick<SqliteOptions, 'name' | 'tables' | 'migrations'>,
  mode: 'read' | 'write',
): Promise<Database> {
  if (location.store === 'embedded') {
    const options = { ...location, ...common, path: `${location.dataDir}/${common.name}.sqlite` }
    return mode === 'write' ? openSqliteWriter(options) : openSqliteReader(options)
  }
  if (!/^postgres(ql)?:\/\//.test(location.store))
    throw new Fault('bad-config', 'setting store is neither embedded nor a postgres:// address')
  const options = { ...location, ...common, url: location.store }
  // With its driver, which embedded stores never need.
  const { openPostgresReader, openPostgresWriter } = await import('./postgres.ts')
  if (mode === 'write') return openPostgresWriter(options)
  const { readServers } = location
  if (readServers === undefined) return openPostgresReader(options)
  const { openReplicated } = await import('./replicas.ts')
  return openReplicated(readServers.replicas, (member) =>
    openPostgresReader({ ...options, url: itemAt(readServers.urls, member) }),
  )
}
