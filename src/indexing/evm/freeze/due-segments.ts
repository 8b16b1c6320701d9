/** Which segments the history in tables is enough for, by the sums that were kept of it. */

import { checkpointHeights, blockStage } from '../../../store/checkpoint.ts'
import { type Reader, statement } from '../../../store/engine/database.ts'
import type { FreezeSettings } from '../../../store/open.ts'
import {
  firstHeightInTables,
  provenHeightOf,
  storedProofs,
} from '../../../store/query/evm/heights.ts'
import { heightsPerSum } from '../../../store/schema/sums.ts'

/**
 * Transactions, transfers and internal transactions of a segment: it takes some seconds to write, and
 * what is not frozen yet stays small enough for memory.
 */
export const defaultRows = 400_000

/** Of a segment, for each of these rows, lists and balances included; richer chains have more. */
const bytesPerRow = 128

const rowsByRange = statement(
  `select part, sum(row_count) from range_sum where tab in ('evm_transaction', 'transfer', 'internal')
   group by part order by part`,
)

/**
 * Heights at which the due segments end (exclusive), in order. Each is the end of a range of sums
 * below which every block is committed and proven. Cost: a row for each table and range.
 */
export async function dueSegments(
  reader: Reader,
  { rowsPerSegment, heightsPerSegment, rowsInTables = defaultRows }: FreezeSettings,
): Promise<number[]> {
  const blocks = (await checkpointHeights(reader)).get(blockStage) ?? -1
  const end = provenHeightOf(await storedProofs(reader), blocks) + 1
  if (heightsPerSegment !== undefined) {
    const first = await firstHeightInTables(reader)
    const due: number[] = []
    if (first === undefined) return due
    for (let until = first + heightsPerSegment; until <= end; until += heightsPerSegment)
      due.push(until)
    return due
  }
  const ranges = (await reader.all(rowsByRange)).map(([part, count]) => {
    return { until: (part + 1) * heightsPerSum, count: Number(count) }
  })
  const due: number[] = []
  const fileBytes = reader.history?.fileBytes ?? Number.POSITIVE_INFINITY
  let left = ranges.reduce((sum, { count }) => sum + count, 0)
  let sum = 0
  // What stays in tables is counted anew each time, so that a long history freezes in steps that shrink.
  for (const { until, count } of ranges) {
    if (until > end) break
    sum += count
    const most = Math.min(left / 8, fileBytes / bytesPerRow)
    if (sum < (rowsPerSegment ?? Math.max(rowsInTables, most))) continue
    due.push(until)
    left -= sum
    sum = 0
  }
  return due
}
