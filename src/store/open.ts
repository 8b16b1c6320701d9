/** Opens the store of a chain or network with the engine the settings name. */

import { join } from 'node:path'

import { Fault, faultOf } from '../core/fault.ts'
import { itemAt } from '../core/item-at.ts'
import type { Database } from './engine/database.ts'
import { withHistory } from './history/history-database.ts'
import type { BucketHistory } from './history/segment-cache.ts'
import type { Layouts } from './migrations/migrations.ts'
import type { ReadServers } from './postgres/open-replicas.ts'
import type { ConnectionLimits } from './postgres/server.ts'
import type { Table } from './schema/table.ts'
import { openSqliteReader, openSqliteWriter } from './sqlite/sqlite.ts'
import { summed } from './sums/summed-database.ts'

/** Where stores lie: settings `store` and `dataDir`, and what a store may use. */
export type StoreLocation = {
  /** `embedded`, or `postgres://user@host:5432/db`. */
  readonly store: string
  /** Chains that lie on other servers than `store`; PostgreSQL only. */
  readonly stores?: readonly StorePattern[] | undefined
  /** Folder of the embedded stores; `<name>.sqlite` each. */
  readonly dataDir: string
  /** Folder of the segments of all stores, or of what is here of a bucket; absent, `segments` of `dataDir`. */
  readonly segments?: string | undefined
  /**
   * Present where history moves into segments, which lie in `segments/<store>` of `dataDir`. Every
   * process of a deployment must say the same, and read the same folder.
   */
  readonly freeze?: FreezeSettings
  /** Present where segments are kept in a bucket. */
  readonly bucket?: BucketHistory | undefined
  /** Page cache of a writing connection, bytes; embedded only. */
  readonly writerCacheBytes?: number
  /** Connections of this thread at most; PostgreSQL only. */
  readonly connections?: ConnectionLimits
  /** Milliseconds for which a lease of another process stands still before it is taken over; three seconds if absent. */
  readonly leaseMs?: number
  /** Names this process in its leases and in the server's list of sessions; PostgreSQL only. */
  readonly owner?: string
  /** Where stores are read instead of at `store`; PostgreSQL only. */
  readonly readServers?: ReadServers
  /** Longest a reading statement may take, milliseconds; PostgreSQL only. */
  readonly readTimeoutMs?: number
  /** In place of the product's own, for tests. */
  readonly layouts?: Layouts
  /**
   * Stands between a store and its engine: opens the store, and notices or causes damage.
   */
  readonly around?: OpenAround
}

/** Settings of frozen history. */
export type FreezeSettings = {
  /** Transactions, transfers and internal transactions of a segment, or logs. */
  readonly rowsPerSegment?: number
  /** Heights of a segment, whatever rows they have, for short chains of tests. */
  readonly heightsPerSegment?: number
  /** Rows that gather in tables before the oldest become a segment, also at the end of a backfill. */
  readonly rowsInTables?: number
  /**
   * Blocks, transactions, transfers and kept logs from which on a batch becomes a segment at once.
   */
  readonly rowsAtOnce?: number
}

/** Purpose of an opening: `serve` reads as well, all statements of a turn of the loop from one state. */
export type OpenMode = 'read' | 'serve' | 'write'

/** Opens a store by `open`, now or later, and gives what stands in its place. */
export type OpenAround = (
  open: () => Promise<Database>,
  store: { readonly name: string; readonly mode: OpenMode },
) => Promise<Database>

/**
 * Log of a store whose history freezes: its commits change nearly every page that is left, and a
 * longer log has each of them move into the file less often.
 */
const frozenLogBytes = 2 ** 30
/** Its tables hold addresses, tokens and the newest rows: a cache of 64 MiB made a backfill no cheaper. */
const frozenCacheBytes = 16 * 2 ** 20

/**
 * Opens store `name` (`evm-43113`, `primary-fuji`, `shared`: lower-case letters, digits, `-`)
 * with `tables`. A `write` opening makes it; other openings demand that it exists.
 *
 * Throws `store-version`, `store-failed`, `store-full`, and `bad-config` for a location or name
 * of another form.
 */
export async function openStore(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
  mode: OpenMode,
): Promise<Database> {
  if (!/^[a-z0-9-]{1,48}$/.test(name)) throw new Fault('bad-config', `not a store name: ${name}`)
  const common = { name, tables }
  const open = (): Promise<Database> => openEngine(location, common, mode)
  const database = await (location.around?.(open, { name, mode }) ?? open())
  if (mode !== 'write') return database
  return withSegments(location, common, await summed(database, tables))
}

/**
 * Opens a store for writing that is never filled with history: it needs little memory, and its log
 * stays small. Where its disk is read only it is open for reading, and every transaction fails. Throws as
 * {@link openStore}.
 */
export async function openSmallStore(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
): Promise<Database> {
  let database: Database
  try {
    database = await openStore(location, name, tables, 'write')
  } catch (error) {
    if (!isOnReadOnlyDisk(error)) throw error
    return openStore(location, name, tables, 'read')
  }
  try {
    await database.pace('follow')
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

// SQLITE_READONLY and SQLITE_CANTOPEN.
const readOnlyCodes = new Set([8, 14])

/** Returns whether a store could not be opened since its file, or its folder, may not be read or not be written. */
export function isOnReadOnlyDisk(error: unknown): boolean {
  const sqlite = faultOf(error)?.detail['sqlite']
  return typeof sqlite === 'number' && readOnlyCodes.has(sqlite & 0xff)
}

type NamedTables = { readonly name: string; readonly tables: readonly Table[] }

function withSegments(
  location: StoreLocation,
  { name, tables }: NamedTables,
  database: Database,
): Promise<Database> {
  const folder = segmentFolder(location, name)
  const { freeze, bucket, layouts } = location
  return withHistory(database, tables, { folder, freezes: freeze !== undefined, bucket, layouts })
}

/** Where the segments of store `name` lie. */
export function segmentFolder(
  { dataDir, segments = join(dataDir, 'segments') }: Pick<StoreLocation, 'dataDir' | 'segments'>,
  name: string,
): string {
  return join(segments, name)
}

/**
 * Opens a store for writing that copies another one, its sums like other rows. Its name may be
 * longer than that of a store. Throws as {@link openStore}.
 */
export function openCopy(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
): Promise<Database> {
  return openEngine(location, { name, tables }, 'write')
}

async function openEngine(
  location: StoreLocation,
  common: NamedTables,
  mode: OpenMode,
): Promise<Database> {
  if (location.store === 'embedded') {
    const path = `${location.dataDir}/${common.name}.sqlite`
    const isFrozen =
      location.freeze !== undefined && common.tables.some(({ freezes }) => freezes !== undefined)
    const frozen = { writerCacheBytes: frozenCacheBytes, logBytes: frozenLogBytes }
    const options = { ...(isFrozen ? frozen : {}), ...location, ...common, path }
    if (mode === 'write') return openSqliteWriter(options)
    return withSegments(location, common, openSqliteReader(options, mode === 'serve'))
  }
  if (!/^postgres(ql)?:\/\//.test(location.store))
    throw new Fault('bad-config', 'setting store is neither embedded nor a postgres:// address')
  const url = patternUrl(location.stores ?? [], common.name) ?? location.store
  const options = { ...location, ...common, url }
  // With its driver, which embedded stores never need.
  const { openPostgresReader, openPostgresWriter } = await import('./postgres/postgres.ts')
  if (mode === 'write') return openPostgresWriter(options)
  const { readServers } = location
  const openReader = async (from: string): Promise<Database> =>
    withSegments(location, common, await openPostgresReader({ ...options, url: from }))
  // Replicas are those of `store`.
  if (readServers === undefined || url !== location.store) return openReader(url)
  const { openReplicated } = await import('./engine/replicas.ts')
  // Rows and the list of segments are read at one server: another may be behind it.
  return openReplicated(readServers.replicas, (member) =>
    openReader(itemAt(readServers.urls, member)),
  )
}

/** The fault of a store that holds another chain than the one configured: where it lies, and both ways out. */
export function foreignStore(
  { store, dataDir }: StoreLocation,
  key: string,
  of: { readonly holds: string; readonly source: string },
): Fault {
  const place = store === 'embedded' ? dataDir : 'the database'
  const ways =
    store === 'embedded'
      ? 'choose another folder with --data-dir, or delete this one to index anew'
      : 'give the chain another name, or drop the namespace to index anew'
  return new Fault(
    'foreign-store',
    `the store ${key} in ${place} holds ${of.holds}, the source is ${of.source}: ${ways}`,
  )
}

// Which of several PostgreSQL servers has the store of a chain.

/** Stores of chains whose names fit `pattern` lie at `url`. */
export type StorePattern = {
  /** Name of a store of a chain, `fuji-c-chain`; `*` stands for any part of it. */
  readonly pattern: string
  /** `postgres://user@host:5432/db`. */
  readonly url: string
}

/** Stores rebuilt beside a store, and the logs of a chain, lie where the chain does. */
const chainStoreName = /^(?:rebuilt-)?((?:fuji|mainnet|primary)-.+)$/
const beginnings = ['fuji-', 'mainnet-', 'primary-']

/**
 * Address of the store of this name, by the first pattern that fits; undefined where none does.
 * Stores of the whole deployment fit no pattern.
 */
export function patternUrl(patterns: readonly StorePattern[], name: string): string | undefined {
  const chain = chainStoreName.exec(name)?.[1]
  if (chain === undefined) return undefined
  const names = [chain, chain.replace(/-logs$/, '')]
  return patterns.find(({ pattern }) => names.some((each) => fits(each, pattern)))?.url
}

/** Returns whether the name of any chain's store can match a pattern. */
export function canFit(pattern: string): boolean {
  const [first = ''] = pattern.split('*')
  return beginnings.some(
    (each) => first.startsWith(each) || (pattern !== first && each.startsWith(first)),
  )
}

/** Returns whether the name of a chain's store matches a pattern. */
export function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
