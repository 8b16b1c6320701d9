/** All rows of a table in the order of its key, a few at a time. */

import { createHash } from 'node:crypto'

import { type Reader, type Row, statement, type Value } from '../engine/database.ts'
import { columnNames, type Table } from '../engine/table.ts'

/** Memory that rows read at once may take. */
const batchBytes = 8 * 2 ** 20

/** Rows of the first reading, whose size nobody knows: those of blocks may have 100 KiB. */
const firstRows = 64
const maxRows = 20_000

/** A value with what the engine keeps beside it, roughly. */
const valueBytes = 16

/**
 * Rows of `table` after the key `after`, each with all columns in order and integers as bigints.
 *
 * @yields some rows, fewer where they are long
 */
export async function* tableRows(
  reader: Reader,
  table: Table,
  after?: readonly Value[],
): AsyncGenerator<readonly Row[]> {
  const places = table.key.map((name) => columnNames(table).indexOf(name))
  let key = after
  let limit = firstRows
  for (;;) {
    const rows = await reader.all(pageOf(table, key !== undefined), [...(key ?? []), limit])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    if (rows.length < limit) return
    key = places.map((place) => last[place] ?? null)
    limit = Math.min(maxRows, Math.max(1, Math.floor((limit * batchBytes) / bytesOf(rows))))
  }
}

/** The highest key of `table`; `undefined` of an empty one. */
export async function lastKey(reader: Reader, table: Table): Promise<Row | undefined> {
  const keys = table.key
  const order = keys.map((name) => `${name} desc`).join(', ')
  return reader.get(
    statement(`select ${keys.join(', ')} from ${table.name} order by ${order} limit 1`, {
      bigints: true,
      over: 'tables',
    }),
  )
}

/** Number of rows of a table, and a hash of all of them. */
export type TableDigest = { readonly rows: number; readonly digest: string }

/** SHA-256 of every value of `table` in the order of its key; the same on both engines. */
export async function digestOfTable(
  reader: Reader,
  table: Table,
  report: (rows: number) => void = () => undefined,
): Promise<TableDigest> {
  const hash = createHash('sha256')
  let count = 0
  for await (const rows of tableRows(reader, table)) {
    hash.update(rows.map(rowText).join(''), 'latin1')
    count += rows.length
    report(rows.length)
  }
  return { rows: count, digest: hash.digest('hex') }
}

function pageOf(table: Table, isAfter: boolean): ReturnType<typeof statement> {
  const keys = table.key.join(', ')
  const marks = table.key.map(() => '?').join(', ')
  const where = isAfter ? ` where (${keys}) > (${marks})` : ''
  const columns = columnNames(table).join(', ')
  return statement(`select ${columns} from ${table.name}${where} order by ${keys} limit ?`, {
    bigints: true,
    // Frozen history stays in its folder.
    over: 'tables',
  })
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

function bytesOf(rows: readonly Row[]): number {
  let bytes = 0
  for (const row of rows)
    for (const value of row)
      bytes +=
        valueBytes + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return bytes
}
