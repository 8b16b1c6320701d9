/** Copies a store into another engine, goes on where an earlier attempt ended, and compares both. */

import { createHash } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import { type Database, type Reader, type Row, statement } from '../engine/database.ts'
import { namespaceOf } from '../postgres/names.ts'
import { columnNames, type Table } from '../schema/table.ts'
import { eachColumns, eachPage, everyRow } from '../sums/pages.ts'

/** A store to copy. */
export type CopiedStore = { readonly name: string; readonly tables: readonly Table[] }

/** Called with counts of rows written and of rows compared. */
export type CopyProgress = (work: 'copied' | 'compared', rows: number) => void

const inFile = statement("select name from sqlite_master where type = 'table'")
const inNamespace = statement('select tablename from pg_tables where schemaname = ?')

/** Those of `tables` that a store has: some come with the first start of a newer version. */
export async function presentTables(
  database: Database,
  tables: readonly Table[],
): Promise<readonly Table[]> {
  const rows =
    database.engine === 'sqlite'
      ? await database.all(inFile)
      : await database.all(inNamespace, [namespaceOf(database.name)])
  const present = new Set(rows.map(([name]) => name))
  return tables.filter(({ name }) => present.has(name))
}

/**
 * Copies all rows of `tables` that `to` does not have yet, then reads both whole and compares them.
 * Returns the number of rows. Throws `store-failed` naming the table where they differ.
 *
 * Rows are written in the order of their keys, so that the highest key says how far a table came.
 */
export async function copyStore(
  name: string,
  copy: { readonly from: Reader; readonly to: Database; readonly tables: readonly Table[] },
  report: CopyProgress,
): Promise<{ readonly rows: number }> {
  const { from, to, tables } = copy
  for (const table of tables) {
    // The highest key that is there; none in an empty table.
    const keys = table.key
    const order = keys.map((name) => `${name} desc`).join(', ')
    const last = await to.get(
      statement<string>(`select ${keys.join(', ')} from ${table.name} order by ${order} limit 1`, {
        bigints: true,
        over: 'tables',
      }),
    )
    const marks = last?.map(() => '?').join(', ')
    const rest = { where: `(${table.key.join(', ')}) > (${marks})`, limits: last ?? [] }
    await eachColumns(from, table, last === undefined ? everyRow : rest, async (columns, rows) => {
      await to.transaction((writer) => writer.insert<Table>(table, columns))
      report('copied', rows)
    })
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

/** Number of rows of a table, and SHA-256 of every value in the order of its key; the same on both engines. */
async function digestOfTable(
  reader: Reader,
  table: Table,
  report: (rows: number) => void = () => undefined,
): Promise<{ readonly rows: number; readonly digest: string }> {
  const hash = createHash('sha256')
  let count = 0
  const pages = { table, names: columnNames(table), ...everyRow }
  const isWhole = await eachPage(reader, pages, (rows) => {
    hash.update(rows.map(rowText).join(''), 'latin1')
    count += rows.length
    report(rows.length)
  })
  if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  return { rows: count, digest: hash.digest('hex') }
}

/** The values of a row, one byte a character; lengths and kinds keep them apart. */
function rowText(row: Row): string {
  let text = ''
  for (const value of row) {
    if (value === null) text += 'n;'
    else if (value instanceof Uint8Array)
      text += `b${value.length}:${Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')}`
    else if (typeof value === 'string') {
      const bytes = Buffer.from(value)
      text += `t${bytes.length}:${bytes.toString('latin1')}`
    } else text += `i${value};`
  }
  return text
}
