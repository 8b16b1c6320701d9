/** Which segments the history in tables is enough for, by the sums that were kept of it. */

import { checkpointHeights, blockStage } from '../../../store/checkpoint.ts'
import { type MaybePromise, type Reader, statement } from '../../../store/engine/database.ts'
import { frozenUntil } from '../../../store/history/manifest.ts'
import type { FreezeSettings } from '../../../store/open.ts'
import {
  firstHeightInTables,
  provenHeightOf,
  storedProofs,
} from '../../../store/query/evm/heights.ts'
import { logStage } from '../../../store/schema/logs.ts'
import { heightsPerSum } from '../../../store/schema/sums.ts'

/**
 * Transactions, transfers and internal transactions of a segment, or logs: it takes some seconds to write, and
 * what is not frozen yet stays small enough for memory.
 */
export const defaultRows = 400_000

/** The history in the tables of a store. */
type InTables = {
  /** Below it every block is committed and proven. */
  readonly end: number
  readonly firstHeight: () => MaybePromise<number | undefined>
  /** Rows in each range of sums, in order. */
  readonly rowsByRange: typeof rowsOfChain
  /** Of a segment, for each of these rows, lists and balances included; richer chains have more. */
  readonly bytesPerRow: number
}

const rowsOfChain = statement(
  `select part, sum(row_count) from range_sum where tab in ('evm_transaction', 'transfer', 'internal')
   group by part order by part`,
)
const rowsOfLogs = statement(
  `select part, sum(row_count) from range_sum where tab in ('log_entry') group by part order by part`,
)

/**
 * Heights at which the due segments of a chain end (exclusive), in order. Each is the end of a range of sums
 * below which every block is committed and proven. Cost: a row for each table and range.
 */
export async function dueSegments(reader: Reader, settings: FreezeSettings): Promise<number[]> {
  const blocks = (await checkpointHeights(reader)).get(blockStage) ?? -1
  return dueOf(reader, settings, {
    end: provenHeightOf(await storedProofs(reader), blocks) + 1,
    firstHeight: () => firstHeightInTables(reader),
    rowsByRange: rowsOfChain,
    bytesPerRow: 128,
  })
}

/** The same of the logs of a chain, in their store: only what is proven is there. */
export async function dueLogs(reader: Reader, settings: FreezeSettings): Promise<number[]> {
  return dueOf(reader, settings, {
    end: ((await checkpointHeights(reader)).get(logStage) ?? -1) + 1,
    firstHeight: async () => {
      const manifest = await reader.history?.manifest(reader)
      return manifest && frozenUntil(manifest, logStage)
    },
    rowsByRange: rowsOfLogs,
    bytesPerRow: 256,
  })
}

async function dueOf(
  reader: Reader,
  { rowsPerSegment, heightsPerSegment, rowsInTables = defaultRows }: FreezeSettings,
  { end, firstHeight, rowsByRange, bytesPerRow }: InTables,
): Promise<number[]> {
  if (heightsPerSegment !== undefined) {
    const first = await firstHeight()
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
