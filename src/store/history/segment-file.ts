/**
 * A segment: one SQLite file that is written once, with the tables of a stage and the rows of a range of
 * heights.
 *
 * Its name is the hash of its bytes. These follow from its rows alone: SQLite copies them in the order of
 * their keys, so that it fills the same pages with them, and the fields of the
 * header that say which SQLite wrote the file, and how often, are set to what they are everywhere.
 */

import { rmSync } from 'node:fs'

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Columns, statement } from '../engine/database.ts'
import { sqliteDdl } from '../engine/ddl.ts'
import { placesPerBlock } from '../schema/sums.ts'
import { columnNames, type Table } from '../schema/table.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import {
  draftEnding,
  type FileStamp,
  nameOf,
  onDisk,
  pageBytes,
  sealedStamp,
  settle,
} from './segment-bytes.ts'
import { layoutPragma, type SegmentSchema } from './segment-schema.ts'

/** Of each open segment, in each thread. */
const readerCachePages = 256
const writerCachePages = 4_096
const copyCachePages = 512
/** Of a segment that is made in memory, 32 MiB; a larger one goes on in a file. */
const memoryPages = 8_192
/** `Firs`, for those who look at the file. */
const applicationId = 0x46697273

/** A segment that is open for reading, by questions in the words of SQLite. */
export class SegmentFile extends SqliteConnection {
  readonly name: string
  readonly path: string
  /** Questions that read it; it stays open for them, whatever becomes of its name. */
  users = 0
  /** The file as it was opened. */
  readonly stamp: FileStamp
  /** Monotonic milliseconds at which it was last seen to be the same. */
  lookedMs = performance.now()
  /** Number of the layout of its tables. */
  readonly layout: number

  /**
   * Opens the file at `path`; nothing is read from it before its tables are known to be those of `schema`. Throws
   * `store-failed`.
   */
  constructor(path: string, name: string, schema: SegmentSchema) {
    const stamp = sealedStamp(path)
    super({
      path,
      name: `segment ${name}`,
      readOnly: true,
      isImmutable: true,
      cachePages: readerCachePages,
      busyTimeoutMs: 0,
    })
    this.stamp = stamp
    this.path = path
    this.name = name
    try {
      this.exec('pragma trusted_schema = off')
      this.layout = schema.fit(this, path)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Where the rows of `tables` begin and end that are in order of place; both are 0 where there are none. */
  places(tables: readonly Table[]): { readonly first: number; readonly last: number } {
    const places = tables
      .filter((table) => table.key.length === 1 && table.key[0] === placeColumn(table))
      .flatMap((table) => {
        const [column, name] = [placeColumn(table), table.name]
        const ends = `select min(${column}), max(${column}) from ${name}`
        const scale = placesPerHeight(table)
        const row = this.get(statement(ends, { over: undefined })) ?? []
        return row.flatMap((value) => (value === null ? [] : Math.floor(Number(value) / scale)))
      })
    return places.length === 0
      ? { first: 0, last: 0 }
      : { first: Math.min(...places), last: Math.max(...places) }
  }

  /** Number of the chain's first transaction in the file, and of the one after its last; of blocks. */
  transactions(): { readonly first: number; readonly end: number } {
    const [first, end] = this.get(transactionsQuestion) ?? []
    return { first: Number(first), end: Number(end) }
  }

  /** Problems that SQLite finds in the structure of the file. */
  problems(): string[] {
    const found = this.all(statement('pragma integrity_check')).map(String)
    return found.length === 1 && found[0] === 'ok' ? [] : found
  }
}

/**
 * A segment being written, in a transaction of its own and in a file beside. SQLite leaves an eighth of a list's
 * pages empty where rows are inserted; the copy it makes of a whole file has full ones.
 */
export class SegmentWriter {
  readonly #path: string
  readonly #loose: string
  #connection: SqliteConnection
  readonly #tables: readonly Table[]
  readonly #attached: string[] = []
  #isOpen = true
  #isInMemory: boolean

  /**
   * Makes the file at `path`, in place of what is there, with the tables of `schema`. With `inMemory` what is small is written to
   * the disk once. Throws `store-full`, `store-failed`.
   */
  constructor(path: string, { tables, newest }: SegmentSchema, inMemory = false) {
    this.#path = path
    this.#loose = path + draftEnding
    this.#tables = tables
    this.#isInMemory = inMemory
    onDisk(() => [path, this.#loose].forEach((file) => rmSync(file, { force: true })))
    this.#connection = looseConnection(inMemory ? ':memory:' : this.#loose)
    try {
      // A killed process leaves a file that is never used, so nothing needs a rollback. The journal
      // mode is set first: the statements after it write the header, and would begin a journal on
      // disk.
      for (const each of [
        ...loosePragmas,
        `page_size = ${pageBytes}`,
        `application_id = ${applicationId}`,
        `${layoutPragma} = ${newest}`,
      ])
        this.connection.exec(`pragma ${each}`)
      this.connection.exec('begin')
      for (const table of tables) this.connection.exec(itemAt(sqliteDdl(table), 0))
    } catch (error) {
      this.abandon()
      throw error
    }
  }

  /** Runs statements beside {@link SegmentWriter.add}. */
  get connection(): SqliteConnection {
    return this.#connection
  }

  /** Adds rows that follow, in the order of their key, those of the table before them. */
  add(table: Table, columns: Columns): void {
    this.connection.insert(table, columns, 'fault')
    if (this.#isInMemory && this.connection.pragma('page_count') > memoryPages) this.#toDisk()
  }

  /** Goes on in a file. */
  #toDisk(): void {
    this.#isInMemory = false
    this.connection.exec('commit')
    this.connection.exec(`vacuum into '${this.#loose.replaceAll("'", "''")}'`)
    this.connection.close()
    this.#connection = looseConnection(this.#loose)
    for (const each of loosePragmas) this.connection.exec(`pragma ${each}`)
    this.connection.exec('begin')
  }

  /** Names the database at `address` in statements of {@link SegmentWriter.connection}. */
  attach(address: URL, name: string): void {
    this.connection.exec(`attach '${address.href.replaceAll("'", "''")}' as ${name}`)
    this.#attached.push(name)
  }

  /** Takes attached databases away; what was written is kept. */
  detach(): void {
    this.connection.exec('commit')
    for (const name of this.#attached.splice(0)) this.connection.exec(`detach ${name}`)
    this.connection.exec('begin')
  }

  /** Ends writing; returns the path of the rows as they were added, until {@link SegmentWriter.abandon}. */
  finish(): string {
    this.connection.exec('commit')
    // The copy is an attached file, too, and SQLite has ten at most.
    for (const name of this.#attached.splice(0)) this.connection.exec(`detach ${name}`)
    return this.#loose
  }

  /**
   * Ends the file, which is whole and on disk then, and returns its name. Between pieces of hashing
   * `pause` is awaited. Throws `store-full`, `store-failed`.
   */
  async seal(pause?: () => Promise<unknown>): Promise<string> {
    for (const table of this.#tables)
      for (const index of sqliteDdl(table).slice(1)) this.connection.exec(index)
    this.finish()
    // Of both files, which are read and written from end to end.
    this.connection.exec(`pragma cache_size = ${copyCachePages}`)
    this.connection.exec(`vacuum into '${this.#path.replaceAll("'", "''")}'`)
    this.#close()
    onDisk(() => settle(this.#path))
    return nameOf(this.#path, pause)
  }

  /** Removes the file; after {@link SegmentWriter.seal} that is the caller's task. */
  abandon(): void {
    if (!this.#isOpen) return
    this.#close()
    rmSync(this.#path, { force: true })
  }

  #close(): void {
    this.#isOpen = false
    this.connection.close()
    rmSync(this.#loose, { force: true })
  }
}

const loosePragmas = ['journal_mode = memory', 'synchronous = off']

function looseConnection(path: string): SqliteConnection {
  return new SqliteConnection({
    path,
    name: 'of segments',
    readOnly: false,
    cachePages: writerCachePages,
    busyTimeoutMs: 0,
  })
}

const transactionsQuestion = statement(
  'select min(first_tx), max(first_tx + tx_count) from evm_block ' +
    'where height in ((select min(height) from evm_block), (select max(height) from evm_block))',
  { over: undefined },
)

/** The column that says where in history a row is. */
export function placeColumn(table: Table): string {
  const names = table.freezes === 'first-rows' ? columnNames(table) : table.key
  const column = names.at(-1)
  assert(column !== undefined, 'a table has columns')
  return column
}

/** Values a height has in the {@link placeColumn} of `table`. */
export function placesPerHeight(table: Table): number {
  return placeColumn(table) === 'pos' ? placesPerBlock : 1
}
