/** A writer that lets only some tables be written, and sees them as they were at a height. */

import {
  type Lookup,
  type Row,
  type Value,
  valueAt,
  type Writer,
  statement,
} from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'

/**
 * `writer` for running the code of ingest again over heights from `from` on: what it writes into
 * other tables than `tables` is dropped, and the newest row of a pair that it looks up is the
 * newest below `from`. Look-ups of that kind take a question each.
 */
export function narrowWriter(
  writer: Writer,
  { tables, from }: { readonly tables: ReadonlySet<Table>; readonly from: number },
): Writer {
  return {
    all: writer.all,
    get: writer.get,
    run: writer.run,
    lookup: (lookup, keys) =>
      lookup.last === 'height'
        ? rowsBelow(writer, lookup, { keys, from })
        : writer.lookup(lookup, keys),
    insert: (table, columns) => (tables.has(table) ? writer.insert(table, columns) : undefined),
    insertNew: (table, columns) =>
      tables.has(table) ? writer.insertNew(table, columns) : undefined,
    upsert: (table, columns) => (tables.has(table) ? writer.upsert(table, columns) : undefined),
    update: (table, columns) => (tables.has(table) ? writer.update(table, columns) : undefined),
    remove: (table, keys) => (tables.has(table) ? writer.remove(table, keys) : undefined),
    clear: (table) => (tables.has(table) ? writer.clear(table) : undefined),
  }
}

async function rowsBelow(
  writer: Writer,
  { table, key, select }: Lookup,
  at: { readonly keys: Parameters<Writer['lookup']>[1]; readonly from: number },
): Promise<(Row | undefined)[]> {
  const where = key.map((name) => `${name} = ?`).join(' and ')
  const question = statement(
    `select ${select.join(', ')} from ${table.name} where ${where} and height < ?
     order by height desc limit 1`,
    { over: 'tables' },
  )
  const found: (Row | undefined)[] = []
  const count = at.keys[0]?.length ?? 0
  for (let row = 0; row < count; row++) {
    const values: Value[] = at.keys.map((column) => valueAt(column, row))
    found.push(await writer.get(question, [...values, at.from]))
  }
  return found
}
