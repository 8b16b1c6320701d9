/** Saves what can still be read of a damaged file into a new one. */

import { assert } from '../../core/fault.ts'
import { type Column, type Database, type Row, statement, type Value } from '../engine/database.ts'
import { baseType } from '../engine/ddl.ts'
import { columnNames, type Table } from '../schema/table.ts'
import { boundsOf } from './check-store.ts'
import { eachPage, type Pages } from './pages.ts'

const partsOfTable = statement('select part from range_sum where tab = ? order by part')

/**
 * Copies the rows of `tables` from one store to another, which is new and keeps no sums: stored
 * sums are copied like other rows, and show afterwards what is missing. What cannot be read is left
 * out: of a table whose rows lie by ranges those ranges, of another one what lies between the first
 * and the last page that cannot be read.
 */
export async function copyReadable(
  from: Database,
  to: Database,
  tables: readonly Table[],
): Promise<void> {
  for (const table of tables) {
    const names = columnNames(table)
    const pages = { table, names, where: 'true', limits: [] }
    const copy = (rows: readonly Row[]): Promise<void> => addRows(to, table, rows)
    if (await eachPage(from, pages, copy)) continue
    await eachPage(from, { ...pages, isBackwards: true }, copy)
    for (const part of await partsIn(from, table))
      await eachPage(from, partPages(pages, part), copy)
  }
}

/** Ranges that can be looked for one by one. */
async function partsIn(from: Database, table: Table): Promise<number[]> {
  if (table.sums?.by?.column !== table.key[0] || table.sums?.by === undefined) return []
  return (await from.all(partsOfTable, [table.name])).map(([part]) => part)
}

function partPages(pages: Pages, part: number): Pages {
  const bounds = boundsOf(pages.table, part)
  assert(bounds !== undefined, 'the table has ranges')
  const { column, from, until } = bounds
  return { ...pages, where: `${column} >= ? and ${column} < ?`, limits: [from, until] }
}

/** Adds rows that are not there yet and that have values of the kinds their columns have. */
async function addRows(to: Database, table: Table, rows: readonly Row[]): Promise<void> {
  const types = Object.values(table.columns)
  const good = rows.filter((row) =>
    types.every((type, at) => isOfKind(row[at] ?? null, baseType(type), type.endsWith('?'))),
  )
  const columns: Record<string, Column> = {}
  for (const [at, name] of columnNames(table).entries())
    columns[name] = good.map((row) => row[at] ?? null)
  await to.transaction((writer) => writer.insertNew(table, columns))
}

function isOfKind(value: Value, type: ReturnType<typeof baseType>, isOptional: boolean): boolean {
  if (value === null) return isOptional
  if (type === 'bytes') return value instanceof Uint8Array
  if (type === 'text') return typeof value === 'string'
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
}
