/** Keys of rows as columns. */

import type { Column, Value } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'

/** Columns of the key of `table` from `rows`, each of which begins with its key in order. */
export function keysOfRows<T extends Table>(
  { key }: T,
  rows: readonly (readonly Value[])[],
): { readonly [Name in T['key'][number]]: Column } {
  const columns = key.map((name, at) => [name, rows.map((row) => row[at] ?? null)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name of the key is there
  return Object.fromEntries(columns) as { readonly [Name in T['key'][number]]: Column }
}
