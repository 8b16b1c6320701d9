/** Rows of a batch as texts that can be compared, however the batch was made; each begins with its height. */

import type { BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { to0x } from '../../core/bytes.ts'
import { u32At } from '../../core/item-at.ts'
import {
  byteAt,
  rowValues,
  storedBlocks,
  storedEvents,
  storedFrames,
  storedTransfers,
  storedTxs,
} from '../../indexing/evm/write/batch-columns.ts'

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
  const text = new BatchText(batch)
  return {
    headers: each(batch.blocks.count, (row) => text.header(row)),
    inputs: each(batch.blocks.count, (row) => [batch.from + row, to0x(text.inputs(row, inputs))]),
    transactions: each(batch.txs.count, (row) => text.transaction(row)),
    transfers: each(batch.transfers.count, (row) => text.transfer(row)),
    logs: each(batch.events.count, (row) => text.event(row)),
  }
}

/** Values of the rows of one batch. */
class BatchText {
  readonly #batch: BlockBatch

  constructor(batch: BlockBatch) {
    this.#batch = batch
  }

  header(row: number): readonly unknown[] {
    const { inputs: _, ...fields } = storedBlocks.fields
    const of = { ...storedBlocks, fields }
    return [this.#batch.from + row, ...rowValues(of, this.#batch.blocks, row, this.#batch)]
  }

  inputs(row: number, inputs: (kept: Uint8Array) => Uint8Array): Uint8Array {
    const kept = byteAt(this.#batch.arena, this.#batch.blocks.inputs, row)
    return kept.length === 0 ? kept : inputs(kept)
  }

  transaction(row: number): readonly unknown[] {
    return [this.#heightOf(row), ...rowValues(storedTxs, this.#batch.txs, row, this.#batch)]
  }

  transfer(row: number): readonly unknown[] {
    const { transfers } = this.#batch
    const values = rowValues(storedTransfers, transfers, row, this.#batch)
    return [...this.#transactionOf(transfers, row), ...values]
  }

  event(row: number): readonly unknown[] {
    const { events } = this.#batch
    const values = rowValues(storedEvents, events, row, this.#batch)
    return [...this.#transactionOf(events, row), ...values]
  }

  #transactionOf({ tx }: { readonly tx: Uint32Array }, row: number): readonly unknown[] {
    const at = u32At(tx, row)
    const { hash } = this.#batch.txs
    return [this.#heightOf(at), to0x(hash.subarray(at * 32, at * 32 + 32))]
  }

  #heightOf(tx: number): number {
    return this.#batch.from + u32At(this.#batch.txs.block, tx)
  }
}

/** Texts of the listed frames of `batch`, in their order. */
export function frameTexts(batch: TraceBatch): readonly string[] {
  const { from, frames } = batch
  const all = each(frames.count, (row) => [
    from + u32At(frames.block, row),
    ...rowValues(storedFrames, frames, row, batch),
  ])
  return all.filter((_, row) => frames.position[row] !== 0)
}

function each(count: number, values: (row: number) => readonly unknown[]): string[] {
  return Array.from({ length: count }, (_, row) => values(row).join(' '))
}
