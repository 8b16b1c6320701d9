/**
 * The embedded engine: one SQLite file per store, by `node:sqlite`.
 *
 * A writer has two connections: one writes, one reads, so that a read never sees a transaction
 * that may still fail. Other threads and processes open the same file with `openSqliteReader`.
 */

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { WorkQueue } from '../../core/waiting.ts'
import {
  statement,
  type Database,
  type TransactionOptions,
  type Writer,
  type WritingPace,
} from '../engine/database.ts'
import { sqliteDdl } from '../engine/ddl.ts'
import {
  applicationId,
  checkReadable,
  checkTables,
  layoutOf,
  layoutRow,
  migrationOf,
  type NamedStore,
  type PresentTables,
  saysHowFar,
  type StoredLayout,
} from '../engine/layout.ts'
import { newestLayout } from '../migrations/migration.ts'
import { type Layouts, ownLayout, ownLayouts } from '../migrations/migrations.ts'
import { storeLayout } from '../schema/control.ts'
import type { Table } from '../schema/table.ts'
import { Claim } from './claim.ts'
import { SqliteConnection } from './connection.ts'
import { turn } from './turn.ts'

/** Where an SQLite store lies and what it may use. */
export type SqliteOptions = {
  /** The file; `-wal`, `-shm` and `-claim-…` files lie beside it. */
  readonly path: string
  readonly name: string
  readonly tables: readonly Table[]
  /** In place of {@link ownLayouts}, for tests. */
  readonly layouts?: Layouts | undefined
  /** Page cache of the writing connection, bytes. */
  readonly writerCacheBytes?: number | undefined
  /** Size of the log before its pages move into the file, while the store is filled. */
  readonly logBytes?: number | undefined
  /** Longest wait for another process's lock. */
  readonly busyTimeoutMs?: number | undefined
}

// Fits the process limits of 512 MiB in backfill and 256 MiB when serving. A backfill of 320,000
// transfers was as fast with 64 MiB as with 256.
const defaultWriterCacheBytes = 64 * 2 ** 20
const readerCacheBytes = 24 * 2 ** 20
const defaultBusyTimeoutMs = 5_000

// 16 KiB pages: 1.27 times the rows a second of 4 KiB pages in an ingest of 1 M rows.
const pageBytes = 16_384
// Size of the log before its pages move into the file, and the size it is cut back to. A page that
// batches change again and again moves once: with a quarter of this size a replay spent a tenth
// more on storing.
const defaultLogBytes = 256 * 2 ** 20
// A chain at its head changes some 20 pages a block. 8 MiB of cache hold the inner pages of its
// trees, and the log beside the file stays at 16 MiB at most.
const followingCacheBytes = 8 * 2 ** 20
const followingLogPages = 1_024
// Folding the log needs a moment without readers. It is tried again, so it does not wait for one.
const foldTimeoutMs = 50

const columnsQuestion = statement(
  "select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'",
)
const layoutQuestion = statement('select * from firn_format')
const stageQuestion = statement('select 1 from checkpoint limit 1')

/**
 * Opens a store for writing and makes what is missing.
 *
 * Throws `store-version` for another layout or a file that is not ours, `store-failed` and
 * `store-full` as the disk says.
 */
export function openSqliteWriter(options: SqliteOptions): Database {
  mkdirSync(dirname(options.path), { recursive: true })
  const writer = connect(options, false, options.writerCacheBytes ?? defaultWriterCacheBytes)
  try {
    prepareFile(writer, options)
  } catch (error) {
    writer.close()
    throw error
  }
  return new SqliteDatabase(options, writer)
}

/**
 * Opens a store for reading only; with `holds` the statements of a turn of the loop are of one state. Throws
 * `store-failed` when no writer has made it yet.
 */
export function openSqliteReader(options: SqliteOptions, holds = false): Database {
  const reader = connect(options, true, readerCacheBytes)
  try {
    // Its writer has made the file, and nothing in it.
    const isEmpty = reader.pragma('page_count') === 0
    if (!isEmpty) checkFile(reader, options)
    const stored = isEmpty ? undefined : storedLayout(reader)
    if (stored === undefined)
      throw new Fault('store-failed', `store has no tables yet: ${options.name}`)
    checkReadable(named(options), stored)
  } catch (error) {
    reader.close()
    throw error
  }
  return new SqliteDatabase(options, undefined, { reader, holds })
}

class SqliteDatabase implements Database {
  readonly engine = 'sqlite'
  readonly name: string
  readonly #options: SqliteOptions
  readonly #writer: SqliteConnection | undefined
  #reader: SqliteConnection | undefined
  readonly #holds: boolean
  readonly #claims = new Map<number, Claim>()
  readonly #queue = new WorkQueue()
  #closed = false

  constructor(
    options: SqliteOptions,
    writer: SqliteConnection | undefined,
    reading: { readonly reader?: SqliteConnection; readonly holds: boolean } = { holds: false },
  ) {
    this.name = options.name
    this.#options = options
    this.#writer = writer
    this.#reader = reading.reader
    this.#holds = reading.holds
  }

  all: Database['all'] = (statement, parameters) =>
    this.#read((reader) => reader.all(statement, parameters))

  get: Database['get'] = (statement, parameters) =>
    this.#read((reader) => reader.get(statement, parameters))

  lookup: Database['lookup'] = (lookup, keys) => this.#read((reader) => reader.lookup(lookup, keys))

  transaction: Database['transaction'] = (work, how = {}) =>
    this.#queue.run(async () => this.#transact(work, how))

  snapshot: Database['snapshot'] = async (work) => {
    using connection = connect(this.#options, true, readerCacheBytes)
    connection.exec('begin')
    return await work(connection)
  }

  claim: Database['claim'] = (epoch) => {
    const claim =
      this.#claims.get(epoch) ?? new Claim(`${this.#options.path}-claim-${epoch}`, this.name)
    if (!claim.take()) return false
    this.#claims.set(epoch, claim)
    return true
  }

  unclaim: Database['unclaim'] = (epoch) => {
    this.#claims.get(epoch)?.remove()
    this.#claims.delete(epoch)
  }

  pace: Database['pace'] = (pace) =>
    this.#queue.run(() => setPace(this.#writing(), this.#options, pace))

  sizeBytes: Database['sizeBytes'] = () => {
    const log = statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })
    return this.#openReader().fileBytes() + (log?.size ?? 0)
  }

  close: Database['close'] = async () => {
    await this.#queue.idle()
    if (this.#closed) return
    this.#closed = true
    turn.end()
    this.#reader?.close()
    this.#writer?.close()
    for (const claim of this.#claims.values()) claim.remove()
  };

  [Symbol.asyncDispose] = this.close

  async #transact<T>(
    work: (writer: Writer) => T | Promise<T>,
    { isFleeting = false }: TransactionOptions,
  ): Promise<T> {
    const connection = this.#writing()
    if (isFleeting) connection.exec('pragma synchronous = normal')
    try {
      connection.exec('begin immediate')
      const result = await work(writerOf(connection))
      connection.exec('commit')
      return result
    } catch (error) {
      rollBack(connection, error)
      throw error
    } finally {
      if (isFleeting) connection.exec('pragma synchronous = full')
    }
  }

  #writing(): SqliteConnection {
    if (this.#writer === undefined)
      throw new Fault('store-failed', `store is open for reading only: ${this.name}`)
    return this.#writer
  }

  #read<T>(read: (reader: SqliteConnection) => T): T | Promise<T> {
    const reader = this.#openReader()
    return this.#holds ? turn.read(reader, () => read(reader)) : read(reader)
  }

  #openReader(): SqliteConnection {
    this.#reader ??= connect(this.#options, true, readerCacheBytes)
    return this.#reader
  }
}

function writerOf(connection: SqliteConnection): Writer {
  return {
    all: (statement, parameters) => connection.all(statement, parameters),
    get: (statement, parameters) => connection.get(statement, parameters),
    lookup: (lookup, keys) => connection.lookup(lookup, keys),
    run: (statement, parameters) => connection.run(statement, parameters),
    insert: (table, columns) => connection.insert(table, columns, 'fault'),
    insertNew: (table, columns) => connection.insert(table, columns, 'keep'),
    upsert: (table, columns) => connection.insert(table, columns, 'replace'),
    update: (table, columns) => connection.update(table, columns),
    remove: (table, keys) => connection.remove(table, keys),
    clear: (table) => connection.clear(table),
  }
}

/** SQLite itself rolls back on a full disk and some other failures; then there is nothing to do. */
function rollBack(connection: SqliteConnection, reason: unknown): void {
  try {
    connection.exec('rollback')
  } catch (error) {
    if (reason instanceof Fault && error instanceof Fault) return
    throw error
  }
}

function connect(options: SqliteOptions, readOnly: boolean, cacheBytes: number): SqliteConnection {
  return new SqliteConnection({
    path: options.path,
    name: options.name,
    readOnly,
    cachePages: Math.ceil(cacheBytes / pageBytes),
    busyTimeoutMs: options.busyTimeoutMs ?? defaultBusyTimeoutMs,
  })
}

function prepareFile(writer: SqliteConnection, options: SqliteOptions): void {
  if (writer.pragma('page_count') === 0) {
    // Both must come before the first table and before the log is switched on.
    writer.exec(`pragma page_size = ${pageBytes}`)
    writer.exec(`pragma application_id = ${applicationId}`)
  }
  checkFile(writer, options)
  writer.exec('pragma journal_mode = wal')
  writer.exec('pragma synchronous = full')
  setPace(writer, options, 'fill')
  writer.exec('begin immediate')
  try {
    // Another process may have made the store since the check.
    checkFile(writer, options)
    prepareTables(writer, named(options))
    writer.exec('commit')
  } catch (error) {
    rollBack(writer, error)
    throw error
  }
}

/** Makes the tables what this version reads and writes, in one transaction. */
function prepareTables(writer: SqliteConnection, store: NamedStore): void {
  const newest = newestLayout(store.layouts.migrations)
  const stored = storedLayout(writer)
  if (stored !== undefined) {
    const to = { engine: 'sqlite', present: presentTables(writer) } as const
    for (const each of migrationOf(store, stored, to)) writer.exec(each)
  }
  const present = presentTables(writer)
  const hasBlocks = saysHowFar(present) && writer.get(stageQuestion) !== undefined
  checkTables(store, { present, hasBlocks })
  for (const table of store.tables) for (const each of sqliteDdl(table)) writer.exec(each)
  if (stored !== undefined && stored.number >= newest) return
  writer.exec(`pragma user_version = ${newest}`)
  writer.exec('drop table if exists firn_format')
  for (const each of sqliteDdl(storeLayout)) writer.exec(each)
  writer.exec(`insert into firn_format values (${layoutRow(store, presentTables(writer))})`)
}

function presentTables(connection: SqliteConnection): PresentTables {
  const present = new Map<string, Set<string>>()
  for (const [table, column] of connection.all(columnsQuestion)) {
    const columns = present.get(String(table)) ?? new Set()
    present.set(String(table), columns.add(String(column)))
  }
  return present
}

/** The layout of a file; `undefined` of one without tables. */
function storedLayout(connection: SqliteConnection): StoredLayout | undefined {
  const number = connection.pragma('user_version')
  if (number === 0) return undefined
  // Nearly always it is this version's.
  const isOther = number !== ownLayout && presentTables(connection).has('firn_format')
  return layoutOf((isOther && connection.get(layoutQuestion)) || [number])
}

/**
 * Sets caches and log for `pace`. Returns false where the log of a store that follows was not
 * folded, because a reader was in the way.
 */
function setPace(writer: SqliteConnection, options: SqliteOptions, pace: WritingPace): boolean {
  const isFollowing = pace === 'follow'
  const cacheBytes = options.writerCacheBytes ?? defaultWriterCacheBytes
  const cache = isFollowing ? Math.min(cacheBytes, followingCacheBytes) : cacheBytes
  const logBytes = options.logBytes ?? defaultLogBytes
  const logPages = isFollowing ? followingLogPages : Math.ceil(logBytes / pageBytes)
  writer.exec(`pragma cache_size = ${Math.ceil(cache / pageBytes)}`)
  writer.exec(`pragma wal_autocheckpoint = ${logPages}`)
  writer.exec(`pragma journal_size_limit = ${logPages * pageBytes}`)
  if (!isFollowing) return true
  writer.exec(`pragma busy_timeout = ${foldTimeoutMs}`)
  // Not 0: a reader was in the way.
  const isFolded = writer.pragma('wal_checkpoint(truncate)') === 0
  writer.exec(`pragma busy_timeout = ${options.busyTimeoutMs ?? defaultBusyTimeoutMs}`)
  writer.exec('pragma shrink_memory')
  return isFolded
}

/** Throws `store-version` where the file is not ours. */
function checkFile(connection: SqliteConnection, { path }: SqliteOptions): void {
  if (connection.pragma('application_id') !== applicationId)
    throw new Fault('store-version', `file is not a store of this product: ${path}`)
}

function named({ name, path, tables, layouts = ownLayouts }: SqliteOptions): NamedStore {
  return { name, tables, place: path, layouts }
}
