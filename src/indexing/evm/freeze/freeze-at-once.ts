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
import { writeFrozen } from '../../../store/history/gathered-rows.ts'
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
 * Does `work`, which adds the rows of `batch`, with a writer that makes them a segment where that
 * is possible, else with `writer`. Throws what `work` throws, `store-full`, `store-failed`.
 */
export async function frozenAtOnce<T>(
  writer: Writer,
  {
    batch,
    proofs,
    headHeight,
    freezing,
  }: {
    readonly batch: BlockBatch
    readonly proofs: StoredProofs
    /** Newest height of the chain; absent where it is not known. */
    readonly headHeight: number | undefined
    readonly freezing: FreezingAtOnce | undefined
  },
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  if (freezing === undefined || !isOfBackfill(batch, proofs, freezing)) return work(writer)
  const { history, mostRowsBefore, rowsInTables } = freezing
  if (rowsAfter(batch, headHeight) < rowsInTables) return work(writer)
  const into = { writer, history, recount }
  const before = await rowsBefore(writer)
  if (before > mostRowsBefore) return work(writer)
  if (before > 0) await freezeUntil(into, await heightsBelow(writer, batch.from))
  const { from, until } = batch
  return writeFrozen(into, { stage: 'blocks', from, until }, work)
}

/** Height `until` for blocks, and for traces as far as they are stored. */
export async function heightsBelow(reader: Reader, until: number): Promise<FreezeHeights> {
  const traces = (await getCheckpoint(reader, traceStage))?.height ?? -1
  return { blocks: until, traces: Math.min(until, traces + 1) }
}

/**
 * Does `work`, which adds the rows of traces. Those of frozen blocks are frozen, too: tables are
 * joined to each other, and segments to segments. Throws what `work` throws, `store-full`,
 * `store-failed`.
 */
export async function tracesBesideBlocks<T>(
  writer: Writer,
  { from, until }: Pick<TraceBatch, 'from' | 'until'>,
  history: History | undefined,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const frozen = history === undefined ? 0 : frozenUntil(await history.manifest(writer), 'blocks')
  if (history === undefined || frozen <= from) return work(writer)
  const into = { writer, history, recount }
  if (until <= frozen) return writeFrozen(into, { stage: 'traces', from, until }, work)
  const done = await work(writer)
  await freezeStage(into, { stage: 'traces', until: frozen })
  return done
}

function isOfBackfill(
  { until, blocks, txs, transfers, events }: BlockBatch,
  proofs: StoredProofs,
  { leastRows }: FreezingAtOnce,
): boolean {
  const rows = blocks.count + txs.count + transfers.count + events.count
  return rows >= leastRows && provenHeightOf(proofs, until - 1) === until - 1
}

/** Estimated rows of the blocks after a batch, if they are like those of the batch. */
function rowsAfter(
  { from, until, txs, transfers }: BlockBatch,
  headHeight = Number.POSITIVE_INFINITY,
): number {
  return ((headHeight + 1 - until) * (txs.count + transfers.count)) / (until - from)
}

/** Rows of history in tables; too many where they are not counted. */
async function rowsBefore(reader: Reader): Promise<number> {
  if ((await firstHeightInTables(reader)) === undefined) return 0
  const sum = Number((await reader.get(rowsCounted))?.[0] ?? 0)
  return sum === 0 ? Number.POSITIVE_INFINITY : sum
}
