/**
 * Blocks of a backfill become a segment in the commit that stores them, and so do their traces.
 *
 * Far below the head a batch is large, and nothing is to come for its blocks but traces, whose tables
 * have segments of their own: its rows of history need not pass through tables. Each such commit ends
 * with a segment, so what is stored is complete up to the checkpoint at any moment, as with rows.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { getCheckpoint, traceStage } from '../../../store/checkpoint.ts'
import { type Reader, statement, type Writer } from '../../../store/engine/database.ts'
import { type FreezeHeights, freezeStage, freezeUntil } from '../../../store/history/freeze.ts'
import { gatherSegment, type RowsTarget } from '../../../store/history/gathered-rows.ts'
import type { History } from '../../../store/history/history.ts'
import { frozenUntil } from '../../../store/history/manifest.ts'
import {
  firstHeightInTables,
  provenHeightOf,
  type StoredProofs,
} from '../../../store/query/evm/heights.ts'
import { recount } from '../write/recount.ts'

/** Freezing of blocks as they are stored. */
export type FreezingAtOnce = {
  readonly history: History
  /** Blocks, transactions, transfers and kept logs from which on a batch is one of a backfill. */
  readonly leastRows: number
  /** Rows that may be in tables before it: they become a segment of their own first. */
  readonly mostRowsBefore: number
  /** The newest rows, which stay in tables: at least this many must follow. */
  readonly rowsInTables: number
}

const rowsCounted = statement(
  `select sum(row_count) from range_sum where tab in ('evm_block', 'evm_transaction', 'transfer', 'internal')`,
)

/**
 * Where the rows of `batch` go: into a segment where that is possible, else to tables. Throws `store-full`,
 * `store-failed`.
 */
export async function targetOfBlocks(
  writer: Writer,
  batch: BlockBatch,
  of: {
    readonly proofs: StoredProofs
    /** Newest height of the chain; absent where it is not known. */
    readonly headHeight: number | undefined
    readonly freezing: FreezingAtOnce | undefined
  },
): Promise<RowsTarget> {
  const { proofs, headHeight = Number.POSITIVE_INFINITY, freezing } = of
  const { from, until, blocks, txs, transfers, events } = batch
  const tables = { writer, seal: async () => {} }
  if (freezing === undefined) return tables
  const { history, leastRows, mostRowsBefore, rowsInTables } = freezing
  const rows = blocks.count + txs.count + transfers.count + events.count
  if (rows < leastRows || provenHeightOf(proofs, until - 1) !== until - 1) return tables
  // The blocks that follow are likely to be like those of the batch.
  const rowsAfter = ((headHeight + 1 - until) * (txs.count + transfers.count)) / (until - from)
  if (rowsAfter < rowsInTables) return tables
  const before = await rowsBefore(writer)
  if (before > mostRowsBefore) return tables
  const into = { writer, history, recount }
  if (before > 0) await freezeUntil(into, await heightsBelow(writer, from))
  return gatherSegment(into, { stage: 'blocks', from, until })
}

/** Height `until` for blocks, and for traces as far as they are stored. */
export async function heightsBelow(reader: Reader, until: number): Promise<FreezeHeights> {
  const traces = (await getCheckpoint(reader, traceStage))?.height ?? -1
  return { blocks: until, traces: Math.min(until, traces + 1) }
}

/**
 * Where the rows of traces go: those of frozen blocks are frozen, too, since tables are joined to each other, and
 * segments to segments. Throws `store-full`, `store-failed`.
 */
export async function targetOfTraces(
  writer: Writer,
  { from, until }: TraceBatch,
  history: History | undefined,
): Promise<RowsTarget> {
  const frozen = history === undefined ? 0 : frozenUntil(await history.manifest(writer), 'blocks')
  if (history === undefined || frozen <= from) return { writer, seal: async () => {} }
  const into = { writer, history, recount }
  if (until <= frozen) return gatherSegment(into, { stage: 'traces', from, until })
  const seal = async (): Promise<void> => {
    await freezeStage(into, { stage: 'traces', until: frozen })
  }
  return { writer, seal }
}

/** Rows of history in tables; too many where they are not counted. */
async function rowsBefore(reader: Reader): Promise<number> {
  if ((await firstHeightInTables(reader)) === undefined) return 0
  const sum = Number((await reader.get(rowsCounted))?.[0] ?? 0)
  return sum === 0 ? Number.POSITIVE_INFINITY : sum
}
