/** A sum over all columns of a batch, for batches of the same blocks that different nodes told. */

import { toHex } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import type { BlockBatch, TraceBatch } from './columns.ts'

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
