/**
 * Where the time series of document C meet ingest.
 *
 * A rollup counts in the transaction that stores the blocks, so a restart continues and a crash
 * cannot double anything. It keeps open periods in memory: after a failed transaction that memory
 * is ahead of the store, and the rollup must be loaded anew.
 */

import type {
  BlockColumns,
  FrameColumns,
  TransferColumns,
  TxColumns,
} from '../codec/evm/columns/columns.ts'
import type { MaybePromise, Writer } from '../store/engine/database.ts'

/** Global address ids of a batch: `ids[i]` is the stored id of the batch's address `i`. */
export type AddressIds = Float64Array

/** Columns of a batch of blocks that counting reads; a decoded batch has all of them. */
export type CountedBlocks = {
  readonly from: number
  readonly arena: Uint8Array
  readonly blocks: Pick<BlockColumns, 'count' | 'timestamp' | 'timestampMs' | 'gasUsed' | 'txCount'>
  readonly txs: Pick<TxColumns, 'from' | 'to' | 'gasUsed' | 'gasPrice' | 'status'>
  readonly transfers: Pick<TransferColumns, 'count' | 'tx' | 'kind' | 'from' | 'to'>
}

/** Columns of a batch of traces that counting reads. */
export type CountedTraces = {
  readonly from: number
  readonly frames: Pick<FrameColumns, 'count' | 'block' | 'kind' | 'from' | 'reverted'>
}

/** Counts batches in the order of heights. */
export type Rollup = {
  /** Blocks, transactions and token transfers of `batch`, following the last batch. */
  readonly blocks: (writer: Writer, batch: CountedBlocks, ids: AddressIds) => MaybePromise<void>
  /**
   * Creations of `batch`. `timestamps[i]` is the time of height `batch.from + i`, Unix seconds,
   * since traces come without headers.
   */
  readonly traces: (
    writer: Writer,
    batch: CountedTraces,
    ids: AddressIds,
    timestamps: ArrayLike<number>,
  ) => MaybePromise<void>
}
