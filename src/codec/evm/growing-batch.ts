import { toHex } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { AddressBook } from './columns/address-book.ts'
import { type BlockBatch, blockTable, txTable, type TraceBatch } from './columns/columns.ts'
import { Bytes } from './columns/growing.ts'
import { LogColumns } from './decode-logs.ts'

/** Compresses a byte string; the store keeps its result as it is. */
export type Compress = (bytes: Uint8Array) => Uint8Array

/** Columns of blocks while they are decoded, and what they share. */
export class GrowingBatch {
  readonly addresses: AddressBook
  readonly arena: Bytes
  readonly logs: LogColumns
  readonly blocks
  readonly txs
  readonly #compress: Compress

  /** Room for this many rows at first; it grows. */
  constructor(
    rows: { readonly blocks: number; readonly txs: number; readonly logs: number },
    compress: Compress,
  ) {
    this.#compress = compress
    this.addresses = new AddressBook(rows.txs + 16)
    // About 20 bytes of wide integers a transaction, 12 a log, and the inputs: grows if short.
    this.arena = new Bytes(rows.blocks * 256 + rows.txs * 64 + rows.logs * 16)
    this.logs = new LogColumns(this.addresses, this.arena, rows.logs)
    this.blocks = blockTable.growing(rows.blocks, this.arena)
    this.txs = txTable.growing(rows.txs, this.arena)
  }

  /** Ends a block with the inputs of its transactions, one after the other. */
  addInputs(inputs: Bytes): void {
    if (inputs.length === 0) this.blocks.inputs.pushEmpty()
    else this.blocks.inputs.pushBytes(this.#compress(inputs.taken()))
  }

  /** The columns of all blocks from height `from` on. */
  finish(from: number): BlockBatch {
    const blocks = blockTable.taken(this.blocks)
    return {
      kind: 'blocks',
      from,
      until: from + blocks.count,
      blocks,
      txs: txTable.taken(this.txs),
      transfers: this.logs.transfers(),
      events: this.logs.events(),
      unexplained: this.logs.unexplained(),
      arena: this.arena.taken(),
      addresses: this.addresses.taken(),
    }
  }
}

/**
 * Hex of 32 bytes, equal for batches that hold the same rows in the same range, in however many
 * pieces they came. Cost: one SHA-256 over the columns, some 300 bytes a transaction.
 */
export function batchSum(batch: BlockBatch | TraceBatch): string {
  const sums: string[] = []
  addSums(batch, '', sums)
  return toHex(sha256(new TextEncoder().encode(sums.join(' '))))
}

function addSums(value: unknown, name: string, sums: string[]): void {
  // Places in the arena depend on the pieces; its content and all lengths do not.
  if (name === 'offset') return
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    sums.push(`${name} ${toHex(sha256(bytes))}`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [part, child] of Object.entries(value)) addSums(child, part, sums)
  } else sums.push(`${name} ${String(value)}`)
}
