/** Takes the rows of a damaged range away. */

import { type Database, statement, type Writer } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'
import { boundsOf } from '../../../store/sums/check-store.ts'

/**
 * Removes all rows of range `part` of `table`, and on SQLite those whose place is no number any
 * more. Its sum stays: it says what must come instead. Cost: a scan of the table where its key
 * begins with another column.
 */
export async function removePart(
  writer: Writer,
  of: { readonly table: Table; readonly part: number; readonly engine: Database['engine'] },
): Promise<void> {
  const { table, part, engine } = of
  const bounds = boundsOf(table, part)
  if (bounds === undefined) return writer.clear(table)
  const { column, from, until } = bounds
  if (Number.isFinite(part))
    await writer.run(
      statement(`delete from ${table.name} where ${column} >= ? and ${column} < ?`),
      [from, until],
    )
  if (engine === 'sqlite')
    await writer.run(statement(`delete from ${table.name} where typeof(${column}) <> 'integer'`))
}
