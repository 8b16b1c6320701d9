/** Rows of a batch as texts that can be compared, however the batch was made; each begins with its height. */

import { noAddress, type Slices } from '../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { to0x } from '../../core/bytes.ts'
import { u32At } from '../../core/item-at.ts'

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
    const { blocks } = this.#batch
    return [
      this.#batch.from + row,
      hashAt(blocks.hash, row),
      blocks.timestamp[row],
      blocks.timestampMs[row],
      blocks.gasUsed[row],
      blocks.gasLimit[row],
      blocks.blockGasCost[row],
      blocks.minDelayExcess[row],
      blocks.hasBaseFee[row] === 1 ? this.#bytes(blocks.baseFee, row) : 'none',
      blocks.txCount[row],
    ]
  }

  inputs(row: number, inputs: (kept: Uint8Array) => Uint8Array): Uint8Array {
    const kept = this.#part(this.#batch.blocks.inputs, row)
    return kept.length === 0 ? kept : inputs(kept)
  }

  transaction(row: number): readonly unknown[] {
    const { txs } = this.#batch
    const hasFees = txs.hasMaxFee[row] === 1
    return [
      this.#heightOf(row),
      hashAt(txs.hash, row),
      this.#address(txs.from[row]),
      this.#address(txs.to[row]),
      this.#address(txs.created[row]),
      this.#bytes(txs.value, row),
      txs.gasLimit[row],
      txs.gasUsed[row],
      this.#bytes(txs.gasPrice, row),
      hasFees ? this.#bytes(txs.maxFee, row) : 'none',
      hasFees ? this.#bytes(txs.maxPriorityFee, row) : 'none',
      txs.nonce[row],
      txs.type[row],
      txs.status[row],
      txs.inputLength[row],
      txs.selector[row],
    ]
  }

  transfer(row: number): readonly unknown[] {
    const { transfers, txs } = this.#batch
    return [
      this.#heightOf(u32At(transfers.tx, row)),
      hashAt(txs.hash, u32At(transfers.tx, row)),
      transfers.logIndex[row],
      transfers.batchIndex[row],
      transfers.kind[row],
      this.#address(transfers.token[row]),
      this.#address(transfers.from[row]),
      this.#address(transfers.to[row]),
      this.#bytes(transfers.value, row),
      this.#bytes(transfers.tokenId, row),
    ]
  }

  event(row: number): readonly unknown[] {
    const { events, txs } = this.#batch
    return [
      this.#heightOf(u32At(events.tx, row)),
      hashAt(txs.hash, u32At(events.tx, row)),
      events.logIndex[row],
      events.kind[row],
      this.#address(events.address[row]),
      this.#bytes(events.topics, row),
      this.#bytes(events.data, row),
    ]
  }

  #heightOf(tx: number): number {
    return this.#batch.from + u32At(this.#batch.txs.block, tx)
  }

  #part(slices: Slices, row: number): Uint8Array {
    const from = u32At(slices.offset, row)
    return this.#batch.arena.subarray(from, from + u32At(slices.length, row))
  }

  #bytes(slices: Slices, row: number): string {
    return to0x(this.#part(slices, row))
  }

  #address(place: number | undefined): string {
    return addressAt(this.#batch.addresses, place)
  }
}

/** Texts of the listed frames of `batch`, in their order. */
export function frameTexts({ from, frames, arena, addresses }: TraceBatch): readonly string[] {
  const listed = each(frames.count, (row) => {
    const start = u32At(frames.value.offset, row)
    return [
      from + u32At(frames.block, row),
      frames.txIndex[row],
      frames.kind[row],
      addressAt(addresses, frames.from[row]),
      addressAt(addresses, frames.to[row]),
      to0x(arena.subarray(start, start + u32At(frames.value.length, row))),
      frames.gasLimit[row],
      frames.gasUsed[row],
      frames.reverted[row],
    ]
  })
  return listed.filter((_, row) => frames.position[row] !== 0)
}

function addressAt(addresses: Uint8Array, place: number | undefined): string {
  if (place === undefined || place === noAddress) return 'nobody'
  return to0x(addresses.subarray(place * 20, place * 20 + 20))
}

function hashAt(hashes: Uint8Array, row: number): string {
  return to0x(hashes.subarray(row * 32, row * 32 + 32))
}

function each(count: number, values: (row: number) => readonly unknown[]): string[] {
  return Array.from({ length: count }, (_, row) => values(row).join(' '))
}
