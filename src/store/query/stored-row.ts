/**
 * Stored rows, each declared once: its columns name where they come from and what they hold.
 *
 * The row's type, what a statement selects, and the function that reads an answer follow from the
 * declaration. A value of another kind than declared is our bug, and throws.
 *
 * Byte strings are read as text where they are shown as text: handing one over costs a JavaScript
 * engine far more than text of twice its length. Several of one row come as one text, which is cut
 * here, for each call costs more than cutting: a page of ten transfers takes half the time of bytes
 * (23 instead of 50 us).
 */

import { functionOfText } from '../../core/columns.ts'
import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  type HistoryScope,
  type NamesHistory,
  type Over,
  type Reader,
  type Row,
  type Statement,
  statement,
  type Value,
} from '../engine/database.ts'
import type { SelectedRow } from '../engine/selected-row.ts'

/** A column of a row: the words that select it, and the value of what they give. */
export type StoredColumn<T> = {
  readonly sql: string
  /** Form of selection: as it is, or bytes as `0x` and lower-case digits. */
  readonly form: 'plain' | 'hex' | 'maybe hex' | 'hash'
  // A method, so that a column of some value is also a `StoredColumn<unknown>`.
  read(value: Value | undefined): T
}

type StoredColumns = Readonly<Record<string, StoredColumn<unknown>>>
type ValuesOf<C extends StoredColumns> = {
  readonly [Name in keyof C]: C[Name] extends StoredColumn<infer T> ? T : never
}
/** Text of a statement in the words of one engine. */
type Text = (columns: string, words: EngineWords) => string

/** Functions that follow from the declaration of a row. */
export type StoredRow<R, C extends StoredColumns = StoredColumns> = {
  /** The declaration, for rows that have more columns. */
  readonly columns: C
  /** Names of the columns, for a look-up in one table. */
  readonly names: readonly string[]
  /**
   * The statement of `text` with the columns in their place; `postgres` where the engines have no
   * common words.
   */
  readonly statement: StatementOf
  /** A row of such a statement. */
  readonly read: (row: Row) => R
  /** All rows of such a statement. */
  readonly all: (reader: Reader, question: Statement, values?: readonly Value[]) => Promise<R[]>
  /** Its first row; `undefined` where there is none. */
  readonly first: (
    reader: Reader,
    question: Statement,
    values?: readonly Value[],
  ) => Promise<R | undefined>
}
/** A text that names no table of history, which says over what it is read. */
type PlainText<T extends string> = T & (NamesHistory<T> extends true ? never : unknown)
type StatementOf = {
  (text: Text, options: StatementOptions & { readonly over: Over | undefined }): Statement
  <const T extends string>(
    text: (columns: string, words: EngineWords) => PlainText<T>,
    options?: StatementOptions,
  ): Statement
}
type StatementOptions = HistoryScope & { readonly postgres?: Text; readonly bigints?: boolean }

/** The rows of a declaration. */
export type RowOf<S> = S extends StoredRow<infer R> ? R : never

/** Words for which the engines have no common ones. */
export type EngineWords = {
  /** A list in JSON, which is a parameter, as rows `j`. */
  readonly list: string
  /** The integer of a row `j`. */
  readonly number: string
  /** The bytes of a row `j`, whose text is hex digits. */
  readonly bytes: string
  /** Has the planner use an index, where it can be told. */
  readonly by: (index: string) => string
  /** A byte column as `0x` and lower-case digits. */
  readonly hex: (column: string) => string
  /** The same of a column that may be NULL, which stays NULL. */
  readonly maybeHex: (column: string) => string
}
const sqliteHex = (column: string): string => `'0x' || lower(hex(${column}))`
const sqlite: EngineWords = {
  list: 'json_each(?) j',
  number: 'j.value',
  bytes: 'unhex(j.value)',
  by: (index) => `indexed by ${index}`,
  hex: sqliteHex,
  // `hex(NULL)` is empty in SQLite, so that a column that may be NULL asks first.
  maybeHex: (column) => `case when ${column} is null then null else ${sqliteHex(column)} end`,
}
const postgresHex = (column: string): string => `'0x' || encode(${column}, 'hex')`
const postgres: EngineWords = {
  list: 'json_array_elements_text(?::json) j',
  number: 'j.value::bigint',
  bytes: "decode(j.value, 'hex')",
  by: () => '',
  hex: postgresHex,
  maybeHex: postgresHex,
}

/** A statement in the words of each engine. */
export function worded<const T extends string>(
  text: (words: EngineWords) => T,
  options: HistoryScope & { readonly over: Over | undefined },
): Statement<SelectedRow<T>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what both texts select
  return statement<string>(text(sqlite), { ...options, postgres: text(postgres) }) as Statement<
    SelectedRow<T>
  >
}

/** A statement for each direction; `sign` compares places with the one after which it goes on. */
export function bothOrders<S extends Statement>(
  make: (order: 'asc' | 'desc', sign: '>' | '<') => S,
): Readonly<Record<'asc' | 'desc', S>> {
  return { asc: make('asc', '>'), desc: make('desc', '<') }
}

const hashDigits = 64

/** A row of `columns`, and of the fields of `body` that no column replaces. */
export function storedRow<const C extends StoredColumns, B extends object = Record<never, never>>(
  columns: C,
  body?: StoredColumn<B>,
): StoredRow<Omit<B, keyof C> & ValuesOf<C>, C> {
  const { alone, joined } = placesOf(columns)
  const read = readerOf<Omit<B, keyof C> & ValuesOf<C>>({ alone, joined, body })
  const selection = ({ hex, maybeHex }: EngineWords): string => {
    const words = { plain: (sql: string) => sql, hex, 'maybe hex': maybeHex, hash: hex }
    const selected = alone.map(({ column }) => words[column.form](column.sql))
    if (joined.length > 0) selected.push(hex(joined.map(({ column }) => column.sql).join(' || ')))
    if (body !== undefined) selected.push(body.sql)
    return selected.join(', ')
  }
  return {
    columns,
    names: Object.values(columns).map(({ sql }) => sql),
    statement: (text: Text, options?: StatementOptions) => {
      const { postgres: otherText = text, over, ...rest } = options ?? {}
      const other = otherText(selection(postgres), postgres)
      return statement<string>(text(selection(sqlite), sqlite), { ...rest, over, postgres: other })
    },
    read,
    all: async (reader, question, values) => (await reader.all(question, values)).map(read),
    first: async (reader, question, values) => {
      const row = await reader.get(question, values)
      return row === undefined ? undefined : read(row)
    },
  }
}

type Named = { readonly name: string; readonly column: StoredColumn<unknown> }
type Places = { readonly alone: readonly Named[]; readonly joined: readonly Named[] }

/** Columns selected alone, and those that come as one text: all hashes, then one of any length. */
function placesOf(columns: StoredColumns): Places {
  const all = Object.entries(columns).map(([name, column]) => ({ name, column }))
  const hashes = all.filter(({ column }) => column.form === 'hash')
  if (hashes.length === 0) return { alone: all, joined: [] }
  const rest = all.filter(({ column }) => column.form !== 'hash')
  const last = rest.find(({ column }) => column.form === 'hex')
  return {
    alone: rest.filter((one) => one !== last),
    joined: last === undefined ? hashes : [...hashes, last],
  }
}

/** Reads field after field, written out: see `core/columns.ts`. */
function readerOf<R>({
  alone,
  joined,
  body,
}: Places & { readonly body: StoredColumn<unknown> | undefined }): (row: Row) => R {
  const reads = alone.map(({ column }) => column.read)
  const fields = alone.map(({ name }, at) => `${name}: read${at}(row[${at}])`)
  for (const [at, { name, column }] of joined.entries()) {
    const from = 2 + at * hashDigits
    const until = column.form === 'hash' ? `, ${from + hashDigits}` : ''
    fields.push(`${name}: '0x' + joined.slice(${from}${until})`)
  }
  const text = joined.length === 0 ? '' : `const joined = readText(row[${alone.length}])`
  const bodyPlace = alone.length + Math.min(joined.length, 1)
  if (body !== undefined) fields.unshift(`...readBody(row[${bodyPlace}])`)
  return functionOfText(
    { reads, readText: textValue, readBody: body?.read },
    `const [${reads.map((_, at) => `read${at}`).join()}] = reads
    return (row) => { ${text}
      return { ${fields.join()} } }`,
  )
}

/** An integer. */
export function integer(sql: string): StoredColumn<number> {
  return { sql, form: 'plain', read: integerValue }
}

/** Bytes. */
export function bytes(sql: string): StoredColumn<Uint8Array> {
  return { sql, form: 'plain', read: bytesValue }
}

/** Text. */
export function text(sql: string): StoredColumn<string> {
  return { sql, form: 'plain', read: textValue }
}

/** An integer of up to 64 bits. */
export function amount(sql: string): StoredColumn<bigint> {
  return { sql: `cast(${sql} as text)`, form: 'plain', read: (value) => BigInt(textValue(value)) }
}

/** Yes or no, stored as 1 or 0. */
export function flag(sql: string): StoredColumn<boolean> {
  return mapped(integer(sql), (value) => {
    assert(value === 0 || value === 1, `${sql} is 0 or 1`)
    return value === 1
  })
}

/** One of `words`, stored as its place among them. */
export function oneOf<const T>(sql: string, words: readonly T[]): StoredColumn<T> {
  return mapped(integer(sql), (place) => itemAt(words, place))
}

/** Bytes as `0x` and lower-case digits; an integer of zero has none. */
export function hex(sql: string): StoredColumn<string> {
  return { sql, form: 'hex', read: textValue }
}

/** 32 bytes as `0x` and lower-case digits. */
export function hash(sql: string): StoredColumn<string> {
  return { sql, form: 'hash', read: textValue }
}

/** A column that may be NULL, which is `undefined`. */
export function maybe<T>({ sql, form, read }: StoredColumn<T>): StoredColumn<T | undefined> {
  return {
    sql,
    form: form === 'plain' ? form : 'maybe hex',
    read: (value) => (value === null ? undefined : read(value)),
  }
}

/** A column whose value means something else than what is stored. */
export function mapped<T, U>(
  { sql, form, read }: StoredColumn<T>,
  map: (value: T) => U,
): StoredColumn<U> {
  return { sql, form, read: (value) => map(read(value)) }
}

/** Fields packed as `layout` says. */
export function body<T>(
  sql: string,
  layout: { readonly fromBytes: (bytes: Uint8Array) => T },
): StoredColumn<T> {
  return mapped(bytes(sql), layout.fromBytes)
}

/** An integer of an answer, which a statement with `bigints` gives as a bigint. */
export function integerValue(value: Value | undefined): number {
  if (typeof value === 'number') return value
  assert(typeof value === 'bigint', 'the statement selects an integer here')
  return Number(value)
}

/** Bytes of an answer. */
export function bytesValue(value: Value | undefined): Uint8Array {
  assert(value instanceof Uint8Array, 'the statement selects bytes here')
  return value
}

/** Text of an answer. */
export function textValue(value: Value | undefined): string {
  assert(typeof value === 'string', 'the statement selects text here')
  return value
}
