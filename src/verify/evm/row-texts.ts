/** Rows of a batch as texts that can be compared, however the batch was made; each begins with its height. */

import type { BatchBase, BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { to0x } from '../../core/bytes.ts'
import { u32At } from '../../core/item-at.ts'
import {
  byteAt,
  comparedRows,
  type StoredAs,
  storedBlocks,
  storedEvents,
  storedFrames,
  storedTransfers,
  storedTxs,
} from '../../indexing/evm/write/batch-columns.ts'
import type { Fields } from '../../store/schema/table.ts'

/** Texts of all rows, by what they are. */
export type RowTexts = {
  readonly headers: readonly string[]
  readonly inputs: readonly string[]
  readonly transactions: readonly string[]
  readonly transfers: readonly string[]
  readonly logs: readonly string[]
}

/** Texts of `batch`; `inputs` turns what it keeps of a block's inputs into the bytes themselves. */
export function rowTexts(batch: BlockBatch, inputs: (kept: Uint8Array) => Uint8Array): RowTexts {
  const { from, arena, blocks, txs, transfers, events } = batch
  const { inputs: _, ...fields } = storedBlocks.fields
  const heightOf = (tx: number): number => from + u32At(txs.block, tx)
  const transactionOf = (tx: number): readonly unknown[] => [
    heightOf(tx),
    to0x(txs.hash.subarray(tx * 32, tx * 32 + 32)),
  ]
  return {
    headers: texts(batch, { ...storedBlocks, fields }, blocks, (row) => [from + row]),
    inputs: Array.from({ length: blocks.count }, (_, row) => {
      const kept = byteAt(arena, blocks.inputs, row)
      return `${from + row} ${to0x(kept.length === 0 ? kept : inputs(kept))}`
    }),
    transactions: texts(batch, storedTxs, txs, (row) => [heightOf(row)]),
    transfers: texts(batch, storedTransfers, transfers, (row) =>
      transactionOf(u32At(transfers.tx, row)),
    ),
    logs: texts(batch, storedEvents, events, (row) => transactionOf(u32At(events.tx, row))),
  }
}

/** Texts of the listed frames of `batch`, in their order. */
export function frameTexts(batch: TraceBatch): readonly string[] {
  const { from, frames } = batch
  const all = texts(batch, storedFrames, frames, (row) => [from + u32At(frames.block, row)])
  return all.filter((_, row) => frames.position[row] !== 0)
}

/** A text for each row: what `before` gives, then its values. */
function texts<C extends Readonly<Record<string, unknown>> & { readonly count: number }>(
  batch: BatchBase,
  of: StoredAs<C, Fields>,
  columns: C,
  before: (row: number) => readonly unknown[],
): string[] {
  const values = comparedRows(of, columns, batch)
  return Array.from({ length: columns.count }, (_, row) =>
    [...before(row), ...values(row)].join(' '),
  )
}
