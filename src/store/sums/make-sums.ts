/** Makes the sums of a store that was written without. */

import type { Database } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { everyRow, rangeSum } from '../schema/range-sum.ts'
import { addRowsOfTable } from './check-store.ts'
import { RangeSums } from './range-sums.ts'

/**
 * Replaces all sums of `database`, open for writing with `tables`, by those of the rows as they
 * are: what is damaged by now counts as whole. The caller holds its lease. Another writer must not
 * have opened the store before, since it would go on without.
 *
 * Throws `store-failed` where rows cannot be read.
 */
export async function makeSums(
  database: Pick<Database, 'transaction'>,
  tables: readonly Table[],
  progress: (table: string, rows: number) => void,
): Promise<void> {
  await database.transaction(async (writer) => {
    await writer.clear(rangeSum)
    for (const table of tables) {
      if (table.sums === undefined) continue
      const sums = new RangeSums(table)
      await addRowsOfTable(writer, sums, { table, progress })
      const entries = sums.entries().toSorted(([a], [b]) => a - b)
      await writer.insert(rangeSum, {
        tab: entries.map(() => table.name),
        part: entries.map(([part]) => part),
        row_count: entries.map(([, { rows }]) => rows),
        row_sum: entries.map(([, { sum }]) => sum),
      })
    }
    await writer.insert(rangeSum, { tab: [everyRow], part: [0], row_count: [0], row_sum: [0] })
  })
}
