/** Sums of the rows of each range of a table. */

import { table } from '../engine/table.ts'

/**
 * Sums of hashes, written in the transaction that changed the rows.
 *
 * `tab` names the table, `part` the range: the value of the table's column of ranges divided by
 * their size, see `Table.sums`. `row_sum` is below 2^52. The row of {@link everyRow} says that
 * every row of the store is in a sum; a store without it was made before sums were kept.
 */
export const rangeSum = table(
  'range_sum',
  { tab: 'text', part: 'integer', row_count: 'integer', row_sum: 'integer' },
  { key: ['tab', 'part'], layout: 'keyed' },
)

/** Name no table has. */
export const everyRow = '*'
