/**
 * Blocks of a backfill become a segment in the commit that stores them, and so do their traces.
 *
 * Far below the head a batch is large, and nothing is to come for its blocks but traces, whose tables
 * have segments of their own: its rows of history need not pass through tables. Each such commit ends
 * with a segment, so what is stored is complete up to the checkpoint at any moment, as with rows.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import { type Reader, statement, type Writer } from '../../../store/engine/database.ts'
import {
  type FreezeHeights,
  freezeStage,
  freezeUntil,
  type FreezeSubject,
} from '../../../store/ice/freeze.ts'
import type { Ice } from '../../../store/ice/ice.ts'
import { segmentsOf } from '../../../store/ice/manifest.ts'
import { writeFrozen } from '../../../store/ice/write-frozen.ts'
import { provenHeightOf, type StoredProofs } from '../../../store/query/evm/stored-proofs.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import type { MakeSegment } from '../making/make-segment.ts'
import { traceStage } from '../write/apply-traces.ts'
import { recount } from '../write/recount.ts'

/** Freezing of blocks as they are stored. */
export type FreezingAtOnce = {
  readonly ice: Ice
  readonly subject: FreezeSubject
  /** Blocks, transactions, transfers and kept logs from which on a batch is one of a backfill. */
  readonly leastRows: number
  /** Rows that may be in tables before it: they become a segment of their own first. */
  readonly mostRowsBefore: number
  /** Makes the segments; absent: the thread that writes does. */
  readonly make?: MakeSegment
}

/** Blocks to store, and what hashes do not prove of all that is stored then. */
export type ProvenBatch = { readonly batch: BlockBatch; readonly proofs?: StoredProofs }

const rowsInTables = statement(
  `select sum(row_count) from range_sum where tab in ('block', 'tx', 'transfer', 'internal')`,
)
const firstHeight = statement('select min(height) from block', { rowsOnly: true })

/**
 * Returns whether a batch becomes a segment as it is stored. What is in tables before it became one then,
 * unless segments `areComing` before it in this transaction. Throws as `freezeUntil`.
 */
export async function freezesAtOnce(
  writer: Writer,
  { batch, proofs = {} }: ProvenBatch,
  { ice, subject, leastRows, mostRowsBefore }: FreezingAtOnce,
  areComing: boolean,
): Promise<boolean> {
  if (!isOfBackfill({ batch, proofs }, leastRows)) return false
  if (areComing) return true
  const before = await rowsBefore(writer)
  if (before > mostRowsBefore) return false
  const into = { writer, ice, tables: chainTables, recount }
  if (before > 0) await freezeUntil(into, await heightsBelow(writer, batch.from), subject)
  return true
}

/** Height `until` for blocks, and for traces as far as they are stored. */
export async function heightsBelow(reader: Reader, until: number): Promise<FreezeHeights> {
  const traces = (await getCheckpoint(reader, traceStage))?.height ?? -1
  return { blocks: until, traces: Math.min(until, traces + 1) }
}

/**
 * Does `work`, which adds the rows of traces, so that those of frozen blocks are frozen, too: tables are
 * joined to each other, and so are segments. Throws what `work` throws, `store-full`, `store-failed`.
 */
export async function tracesBesideBlocks<T>(
  writer: Writer,
  { from, until }: Pick<TraceBatch, 'from' | 'until'>,
  ice: Ice | undefined,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const frozen = ice && segmentsOf(await ice.manifest(writer), 'blocks').at(-1)
  if (ice === undefined || frozen === undefined || frozen.until <= from) return work(writer)
  const { store, genesisHash, firn } = ice.segment(frozen.name).index
  const subject = { store, genesisHash, firn }
  const into = { writer, ice, tables: chainTables, recount }
  if (until <= frozen.until)
    return writeFrozen(into, { stage: 'traces', from, until, subject }, work)
  const done = await work(writer)
  await freezeStage(into, { stage: 'traces', until: frozen.until }, subject)
  return done
}

/** Returns whether a batch is one of a backfill, all of it proven. */
export function isOfBackfill({ batch, proofs = {} }: ProvenBatch, leastRows: number): boolean {
  const { until, blocks, txs, transfers, events } = batch
  const rows = blocks.count + txs.count + transfers.count + events.count
  return rows >= leastRows && provenHeightOf(proofs, until - 1) === until - 1
}

/** Rows of history in tables; too many where they are not counted. */
async function rowsBefore(reader: Reader): Promise<number> {
  const first = (await reader.get(firstHeight))?.[0]
  if (typeof first !== 'number') return 0
  const sum = Number((await reader.get(rowsInTables))?.[0] ?? 0)
  return sum === 0 ? Number.POSITIVE_INFINITY : sum
}
