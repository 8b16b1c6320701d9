/** Keys of rows as columns. */

import type { Columns, Value } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'

/** Columns of the key of `table` from `rows`, each of which begins with its key in order. */
export function keysOfRows(table: Table, rows: readonly (readonly Value[])[]): Columns {
  const columns: Record<string, Value[]> = {}
  for (const [at, name] of table.key.entries()) columns[name] = rows.map((row) => row[at] ?? null)
  return columns
}
