/** Copies a store into another engine, goes on where an earlier attempt ended, and compares both. */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  type Columns,
  type Database,
  type Reader,
  type Row,
  statement,
} from '../engine/database.ts'
import { columnsSql } from '../engine/ddl.ts'
import { checkWhole } from '../engine/format.ts'
import { columnNames, type Table } from '../engine/table.ts'
import { digestOfTable, lastKey, tableRows } from './table-rows.ts'

/** A store to copy. */
export type CopiedStore = { readonly name: string; readonly tables: readonly Table[] }

/** The number of copied rows of all tables. */
export type StoreCopy = { readonly rows: number }

/** Called with counts of rows written and of rows compared. */
export type CopyProgress = (work: 'copied' | 'compared', rows: number) => void

const inFile = statement("select name from sqlite_master where type = 'table'")
const inNamespace = statement('select tablename from pg_tables where schemaname = ?')

/** Names of the tables of a store. */
export async function tablesIn(database: Database): Promise<ReadonlySet<string>> {
  if (database.engine === 'sqlite')
    return new Set((await database.all(inFile)).map(([name]) => String(name)))
  // With its driver, which embedded stores never need.
  const { namespaceOf } = await import('../engine/postgres/names.ts')
  const rows = await database.all(inNamespace, [namespaceOf(database.name)])
  return new Set(rows.map(([name]) => String(name)))
}

/**
 * The tables of a store that exist. Throws `store-version` where an older version wrote it, whose
 * tables are not those of this one.
 */
export async function presentTables(
  reader: Reader,
  store: CopiedStore,
  present: ReadonlySet<string>,
): Promise<readonly Table[]> {
  if (present.has('checkpoint')) checkWhole({ ...store, place: 'it' }, present)
  const tables = store.tables.filter(({ name }) => present.has(name))
  for (const table of tables) {
    try {
      await reader.all(statement(columnsSql(table), { over: 'tables' }))
    } catch (cause) {
      throw new Fault(
        'store-version',
        `store ${store.name} was written by an older version; start this Firn on it once`,
        { cause },
      )
    }
  }
  return tables
}

/**
 * Copies all rows of `tables` that `to` does not have yet, then reads both whole and compares them.
 * Throws `store-failed` naming the table where they differ.
 *
 * Rows are written in the order of their keys, so that the highest key says how far a table came.
 */
export async function copyStore(
  name: string,
  copy: { readonly from: Reader; readonly to: Database; readonly tables: readonly Table[] },
  report: CopyProgress,
): Promise<StoreCopy> {
  const { from, to, tables } = copy
  for (const table of tables) {
    for await (const rows of tableRows(from, table, await lastKey(to, table))) {
      await to.transaction((writer) => writer.insert(table, columnsOf(table, rows)))
      report('copied', rows.length)
    }
  }
  let count = 0
  for (const table of tables) {
    const written = await digestOfTable(from, table, (rows) => report('compared', rows))
    const read = await digestOfTable(to, table)
    if (read.digest !== written.digest)
      throw new Fault(
        'store-failed',
        `the copy of store ${name} differs from it, copy it again: table ${table.name}`,
        { detail: { store: name, table: table.name } },
      )
    count += written.rows
  }
  return { rows: count }
}

function columnsOf(table: Table, rows: readonly Row[]): Columns {
  return Object.fromEntries(
    columnNames(table).map((name, place) => [name, rows.map((row) => itemAt(row, place))]),
  )
}
