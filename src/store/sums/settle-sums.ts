/** Compares the sum of a repaired range with the sum that was written. */

import type { Writer } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { rangeSum } from '../schema/range-sum.ts'
import { type DamagedRange, sumsOfParts } from './check-store.ts'
import type { RangeSum } from './range-sums.ts'

/**
 * Outcome for a damaged range.
 *
 * - `mended`: its rows are those that were written
 * - `sum`: its rows were whole, their sum was not, and is made anew
 * - `renewed`: its rows were made anew, with present values
 * - `differs`: its rows are not those that were written, and their sum stays
 */
export type Settled = {
  readonly range: DamagedRange
  readonly outcome: 'mended' | 'sum' | 'renewed' | 'differs'
}

/**
 * Compares ranges that were mended with their sums; `renewed` are tables whose sums follow their
 * rows.
 */
export async function settleSums(
  writer: Writer,
  damaged: readonly DamagedRange[],
  renewed: ReadonlySet<Table>,
): Promise<Settled[]> {
  const settled: Settled[] = []
  const tables = [...new Set(damaged.map(({ table }) => table))]
  for (const table of tables) {
    const own = damaged.filter((each) => each.table === table)
    const now = await sumsOfParts(
      writer,
      table,
      own.map(({ part }) => part),
    )
    for (const range of own) {
      const sum = now.get(range.part) ?? { rows: 0, sum: 0 }
      const outcome = outcomeOf(range, sum, renewed.has(table))
      if (outcome === 'sum' || outcome === 'renewed') await writeSum(writer, range, sum)
      settled.push({ range, outcome })
    }
  }
  return settled
}

function outcomeOf(
  { written, found }: DamagedRange,
  now: RangeSum,
  isRenewed: boolean,
): Settled['outcome'] {
  if (isSame(written ?? { rows: 0, sum: 0 }, now)) return 'mended'
  // Made again from elsewhere, the rows are what they were: they were right.
  if (found !== undefined && isSame(found, now)) return 'sum'
  return isRenewed ? 'renewed' : 'differs'
}

function isSame(one: RangeSum, other: RangeSum): boolean {
  return one.rows === other.rows && one.sum === other.sum
}

async function writeSum(writer: Writer, range: DamagedRange, sum: RangeSum): Promise<void> {
  const key = { tab: [range.table.name], part: [range.part] }
  if (sum.rows === 0) await writer.remove(rangeSum, key)
  else await writer.upsert(rangeSum, { ...key, row_count: [sum.rows], row_sum: [sum.sum] })
}
