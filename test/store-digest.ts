/** Everything in a store, as one hash per table: two stores with equal digests hold equal rows. */

import { createHash } from 'node:crypto'

import { type Reader, statement } from '../src/store/engine/database.ts'
import { columnNames, type Table } from '../src/store/engine/table.ts'

/** Columns that are in the sums of a table: the others can tell by themselves when they are wrong. */
function summedColumns(table: Table): string[] {
  return columnNames(table).filter((name) => table.sums?.without?.includes(name) !== true)
}

/** SHA-256 of the rows of each table in order of its key, by name of the table. */
export async function storeDigest(
  store: Reader,
  tables: readonly Table[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const table of tables) {
    const question = statement(
      `select ${summedColumns(table).join(', ')} from ${table.name} order by ${table.key.join(', ')}`,
      { bigints: true },
    )
    const hash = createHash('sha256')
    const rows = await store.all(question)
    for (const row of rows)
      for (const value of row)
        hash.update(
          value instanceof Uint8Array
            ? `x${Buffer.from(value).toString('hex')};`
            : `${typeof value} ${String(value)};`,
        )
    digests[table.name] = `${rows.length} rows ${hash.digest('hex').slice(0, 16)}`
  }
  return digests
}
