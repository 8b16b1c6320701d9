/** Reads a table by pages in order of its key, and finds where its file is damaged. */

import { setImmediate as turn } from 'node:timers/promises'

import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  type Columns,
  type Reader,
  type Row,
  type Statement,
  statement,
  type Value,
} from '../engine/database.ts'
import { columnNames, type Table } from '../schema/table.ts'

/** The rows to read: columns `names`, which include the key, of rows that are `where`. */
export type Pages = {
  readonly table: Table
  readonly names: readonly string[]
  readonly where: string
  readonly limits: readonly Value[]
  /** From the end backwards. */
  readonly isBackwards?: boolean
}

/** Rows read at once: first, when nobody knows their size (those of blocks may have 100 KiB), and at most. */
const firstRows = 256
const mostRows = 4_000
/** Memory that they may take, and what the engine keeps beside a value, roughly. */
const pageBytes = 8 * 2 ** 20
const valueBytes = 16

/** Hands on the rows of a table page by page; false where some could not be read: it ends there. */
export async function eachPage(
  reader: Reader,
  pages: Pages,
  visit: (rows: readonly Row[]) => void | Promise<void>,
): Promise<boolean> {
  const { table, names, where, limits, isBackwards = false } = pages
  const keyAt = table.key.map((name) => names.indexOf(name))
  const first = pageQuestion(pages, where)
  const next = pageQuestion(pages, `${where} and ${besideKey(table, isBackwards ? '<' : '>')}`)
  let last: Value[] | undefined
  for (let most = firstRows; ;) {
    const parameters = [...limits, ...(last ?? []), most]
    const rows = await readPage(reader, last === undefined ? first : next, parameters)
    if (rows === undefined) return false
    await visit(rows)
    const end = rows.at(-1)
    if (end === undefined || rows.length < most) return true
    const key = keyAt.map((at) => end[at] ?? null)
    // Damaged keys would lead back.
    if (last !== undefined && compareKeys(key, last) > 0 === isBackwards) return false
    last = key
    most = Math.min(mostRows, Math.max(1, Math.floor((most * pageBytes) / bytesOf(rows))))
  }
}

function bytesOf(rows: readonly Row[]): number {
  let bytes = 0
  for (const row of rows)
    for (const value of row)
      bytes +=
        valueBytes + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return bytes
}

/** All rows of a table, for {@link eachColumns}. */
export const everyRow = { where: 'true', limits: [] }

/** As {@link eachPage}, with all columns of the rows. Throws `store-failed`. */
export async function eachColumns(
  reader: Reader,
  table: Table,
  { where, limits }: { readonly where: string; readonly limits: readonly Value[] },
  visit: (columns: Columns, count: number) => Promise<void>,
): Promise<void> {
  const pages = { table, names: columnNames(table), where, limits }
  const isWhole = await eachPage(reader, pages, async (rows) => {
    if (rows.length > 0) await visit(columnsOf(table, rows), rows.length)
    await turn()
  })
  if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
}

function columnsOf(table: Table, rows: readonly Row[]): Columns {
  return Object.fromEntries(
    columnNames(table).map((name, place) => [name, rows.map((row) => itemAt(row, place))]),
  )
}

/** Returns whether a table has numbers beyond those a double holds. */
export function hasAmounts(table: Table): boolean {
  return Object.values(table.columns).some((type) => type.startsWith('amount'))
}

function pageQuestion({ table, names, isBackwards = false }: Pages, where: string): Statement {
  const order = table.key.map((name) => (isBackwards ? `${name} desc` : name)).join(', ')
  return statement<string>(
    `select ${names.join(', ')} from ${table.name} where ${where} order by ${order} limit ?`,
    { bigints: hasAmounts(table), over: 'tables' },
  )
}

function besideKey({ key }: Table, sign: '<' | '>'): string {
  return `(${key.join(', ')}) ${sign} (${key.map(() => '?').join(', ')})`
}

/** Rows of a page; `undefined` where the file is damaged so that they cannot be read. */
async function readPage(
  reader: Reader,
  question: Statement,
  parameters: readonly Value[],
): Promise<Row[] | undefined> {
  try {
    return await reader.all(question, parameters)
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

// SQLITE_CORRUPT, SQLITE_NOTADB, and SQLITE_ERROR, which is what a damaged declaration of a table
// gives; 0 is a value that no number of ours has.
const damageCodes = new Set([0, 1, 11, 26])

/** Returns whether a reading failed because of stored bytes, not because of the way to them. */
export function isDamage(error: unknown): boolean {
  const fault = faultOf(error)
  if (fault?.code !== 'store-failed') return false
  const { sqlite, sqlstate } = fault.detail
  if (typeof sqlite === 'number') return damageCodes.has(sqlite & 0xff)
  // Class XX is "internal error", XX001 and XX002 damaged data and indexes.
  return sqlstate === undefined || String(sqlstate).startsWith('XX')
}

function compareKeys(one: readonly Value[], other: readonly Value[]): number {
  for (const [at, value] of one.entries()) {
    const order = compared(value, other[at] ?? null)
    if (order !== 0) return order
  }
  return 0
}

function compared(one: Value, other: Value): number {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other)
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return Number(one) - Number(other)
}
