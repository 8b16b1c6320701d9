/** One SQLite connection: settings, prepared statements, faults. */

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { setBounded } from '../../core/bounded-maps.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  clearSql,
  insertSql,
  lookupOneSql,
  lookupSql,
  type OnConflict,
  removeSql,
  shapeOf,
  updateNames,
  updateSql,
} from '../engine/bulk-sql.ts'
import { ByteColumn } from '../engine/byte-column.ts'
import {
  type Column,
  type Columns,
  type FoundRow,
  type Lookup,
  type Row,
  type Statement,
  type Value,
  columnOf,
  valueAt,
} from '../engine/database.ts'
import type { Table } from '../schema/table.ts'

/** Statements kept prepared per connection; about 3 KiB each. */
const maxStatements = 1_000

/**
 * Values bound at once, so that one call writes many rows: 512 took 0.35 µs a row of two values, 2
 * took 1.2. There are few sizes, because each one needs its own statement; the last takes single
 * rows.
 */
const chunkValues = [512, 64, 1] as const

/**
 * Keys looked up by one statement, where there is more than one: the page of a list has up to twenty and a few are new.
 * The last size repeats.
 */
const lookupSizes = [4, 16, 64, 256] as const

/** SQLITE_FULL: no space on the disk, or a quota reached. */
const sqliteFull = 13

/** Settings of a connection. */
export type ConnectionOptions = {
  readonly path: string
  readonly name: string
  readonly readOnly: boolean
  /** True where the file never changes while it is open: no lock is taken for a statement. */
  readonly isImmutable?: boolean
  /** Pages to keep; a transaction that changes more of them writes some before it ends. */
  readonly cachePages: number
  readonly busyTimeoutMs: number
}

/** An open connection. Closed by {@link SqliteConnection.close}; every failure is a fault. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #name: string
  readonly #statements = new Map<string, StatementSync>()
  /** Texts of look-ups by their number of keys: to write one takes as long as to find a row. */
  readonly #lookups = new WeakMap<Lookup, Map<number, string>>()

  constructor(options: ConnectionOptions) {
    this.#name = options.name
    this.#database = this.#guarded(
      () =>
        new DatabaseSync(options.isImmutable === true ? immutable(options.path) : options.path, {
          readOnly: options.readOnly,
          timeout: options.busyTimeoutMs,
          enableForeignKeyConstraints: false,
        }),
    )
    // In pages: given bytes, SQLite would assume pages of 4 KiB, since it has not read the page
    // size yet.
    this.exec(`pragma cache_size = ${options.cachePages}`)
    this.exec('pragma temp_store = memory')
  }

  /** Runs statements without parameters. */
  exec(sql: string): void {
    this.#guarded(() => this.#database.exec(sql))
  }

  /** Begins a transaction that only reads, where none is open. */
  beginReading(): void {
    if (!this.#database.isTransaction) this.exec('begin')
  }

  /** Ends it. It has nothing to lose: what fails here is tried again, and told by the next statement. */
  endReading(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('commit')
    } catch {
      // Nobody waits for it.
    }
  }

  /** First value of the answer of a pragma, as a number. */
  pragma(name: string): number {
    const row = this.#guarded(() => this.#prepared(`pragma ${name}`, false).get())
    return Number(rowOf(row)[0] ?? 0)
  }

  all<R extends Row>(statement: Statement<R>, parameters: readonly Value[] = []): R[] {
    return this.#guarded(() => {
      const prepared = this.#prepared(statement.sqlite, statement.bigints)
      return rowsOf<R>(prepared.all(...parameters))
    })
  }

  get<R extends Row>(statement: Statement<R>, parameters: readonly Value[] = []): R | undefined {
    return this.#guarded(() => {
      const row = this.#prepared(statement.sqlite, statement.bigints).get(...parameters)
      return row === undefined ? undefined : rowOf<R>(row)
    })
  }

  run(statement: Statement, parameters: readonly Value[] = []): number {
    return this.#guarded(() =>
      Number(this.#prepared(statement.sqlite, false).run(...parameters).changes),
    )
  }

  lookup<T extends Table, const Names extends readonly string[]>(
    lookup: Lookup<T, Names>,
    keys: readonly Column[],
  ): (FoundRow<T, Names> | undefined)[] {
    const count = keys[0]?.length ?? 0
    if (count === 1) return [this.#lookupOne(lookup, keys)]
    const found = Array.from<FoundRow<T, Names> | undefined>({ length: count })
    const columns = [Float64Array.from(found.keys()), ...keys]
    this.#guarded(() => {
      let prepared: StatementSync | undefined
      let prepares = 0
      for (let from = 0; from < count;) {
        const rows = lookupRows(count - from)
        if (prepared === undefined || rows !== prepares)
          prepared = this.#prepared(this.#lookupText(lookup, rows), lookup.bigints ?? false)
        prepares = rows
        // Places beyond the last key stay NULL, which no key equals.
        const values = Array.from<SQLInputValue>({ length: rows * columns.length })
        fillRows(values, columns, from)
        // Each row is that of the key whose number comes first in it.
        for (const row of rowsOf(prepared.all(...values)))
          found[Number(row[0])] = rowOf(row.slice(1))
        from += rows
      }
    })
    return found
  }

  #lookupOne<T extends Table, const Names extends readonly string[]>(
    lookup: Lookup<T, Names>,
    keys: readonly Column[],
  ): FoundRow<T, Names> | undefined {
    return this.#guarded(() => {
      const prepared = this.#prepared(this.#lookupText(lookup, 1), lookup.bigints ?? false)
      const row = prepared.get(...keys.map((column) => valueAt(column, 0)))
      return row === undefined ? undefined : rowOf(row)
    })
  }

  #lookupText(lookup: Lookup, rows: number): string {
    const known = this.#lookups.get(lookup)?.get(rows)
    if (known !== undefined) return known
    const texts = this.#lookups.get(lookup) ?? new Map<number, string>()
    this.#lookups.set(lookup, texts)
    const text = rows === 1 ? lookupOneSql(lookup) : lookupSql(lookup, rows)
    texts.set(rows, text)
    return text
  }

  insert(table: Table, columns: Columns, conflict: OnConflict): void {
    const { names } = shapeOf(table, columns)
    this.#inChunks(
      names.map((name) => columnOf(columns, name)),
      (count) => insertSql(table, names, { conflict, count }),
      (prepared, values) => prepared.run(...values),
    )
  }

  update(table: Table, columns: Columns): void {
    const { names, count } = shapeOf(table, columns)
    if (count === 0) return
    const all = updateNames(table, names).map((name) => columnOf(columns, name))
    this.#guarded(() => {
      const prepared = this.#prepared(updateSql(table, names), false)
      const row: SQLInputValue[] = all.map(() => null)
      for (let at = 0; at < count; at++) {
        fillRows(row, all, at)
        prepared.run(...row)
      }
    })
  }

  remove(table: Table, keys: Columns): void {
    shapeOf(table, keys)
    this.#inChunks(
      table.key.map((name) => columnOf(keys, name)),
      (count) => removeSql(table, count),
      (prepared, values) => prepared.run(...values),
    )
  }

  clear(table: Table): void {
    this.exec(clearSql(table))
  }

  /** Bytes of the database file, the write-ahead log not included. */
  fileBytes(): number {
    return this.pragma('page_count') * this.pragma('page_size')
  }

  close(): void {
    this.#statements.clear()
    this.#guarded(() => this.#database.close())
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /**
   * Hands out the rows of `columns`, value after value, in chunks as large as one statement
   * takes; `sqlOf` a number of rows is prepared once per call.
   */
  #inChunks(
    columns: readonly Column[],
    sqlOf: (rows: number) => string,
    work: (prepared: StatementSync, values: readonly SQLInputValue[]) => void,
  ): void {
    const count = columns[0]?.length ?? 0
    this.#guarded(() => {
      let from = 0
      for (const size of chunkValues) {
        const rows = Math.max(1, Math.floor(size / columns.length))
        if (count - from < rows) continue
        const prepared = this.#prepared(sqlOf(rows), false)
        const values = Array.from<SQLInputValue>({ length: rows * columns.length })
        for (; count - from >= rows; from += rows) {
          fillRows(values, columns, from)
          work(prepared, values)
        }
      }
    })
  }

  /**
   * The planner looks at a bare parameter after `limit`, so that every other value of it prepares
   * the statement anew: 40 us a call. Behind a plus sign it is an expression and left alone.
   */
  #prepared(sql: string, bigints: boolean): StatementSync {
    const key = bigints ? `b${sql}` : sql
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    const made = this.#database.prepare(sql.replace(/\blimit \?/g, 'limit +?'))
    made.setReturnArrays(true)
    if (bigints) made.setReadBigInts(true)
    setBounded(this.#statements, key, made, maxStatements)
    return made
  }

  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw faultOf(error) ?? sqliteFault(this.#name, error)
    }
  }
}

/** Address of a file that never changes. */
export function immutable(path: string): URL {
  const address = pathToFileURL(path)
  address.search = '?immutable=1'
  return address
}

/** A failure of SQLite as one of our faults. */
export function sqliteFault(name: string, error: unknown): Fault {
  const code =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
      ? error.errcode
      : 0
  const message = error instanceof Error ? error.message : String(error)
  // The low byte is the primary code, the rest says where it came from.
  if ((code & 0xff) === sqliteFull)
    return new Fault('store-full', `the disk of store ${name} is full`, {
      detail: { store: name, sqlite: code },
      cause: error,
    })
  return new Fault('store-failed', `store ${name}: ${message}`, {
    detail: { store: name, sqlite: code },
    cause: error,
  })
}

/** Rows of the statement that looks up `count` keys, or as many of them as one takes. */
function lookupRows(count: number): number {
  return lookupSizes.find((size) => size >= count) ?? itemAt(lookupSizes, lookupSizes.length - 1)
}

/**
 * Fills `values` with rows from `from` on, row after row, and with NULL where the columns end: a
 * look-up has room for more keys than are left. Column by column is fastest.
 */
function fillRows(values: SQLInputValue[], columns: readonly Column[], from: number): void {
  for (let first = 0; first < columns.length; first++)
    fillColumn(values, itemAt(columns, first), { first, stride: columns.length, from })
}

function fillColumn(
  values: SQLInputValue[],
  column: Column,
  place: { readonly first: number; readonly stride: number; readonly from: number },
): void {
  let row = place.from
  if (column instanceof ByteColumn) {
    for (let at = place.first; at < values.length; at += place.stride, row++)
      values[at] = row < column.length ? column.at(row) : null
    return
  }
  // By themselves: a loop that meets columns of several kinds is much slower for all of them.
  if (column instanceof Float64Array) {
    for (let at = place.first; at < values.length; at += place.stride)
      values[at] = column[row++] ?? null
    return
  }
  for (let at = place.first; at < values.length; at += place.stride)
    values[at] = column[row++] ?? null
}

/** Rows are arrays: `setReturnArrays` is on for every statement. */
function rowOf<R = Row>(row: unknown): R {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the typings know only objects
  return row as R
}

function rowsOf<R = Row>(rows: unknown): R[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the typings know only objects
  return rows as R[]
}
