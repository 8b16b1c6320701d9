/**
 * The set of signers of a message: bit `i` is the validator with canonical index `i`.
 *
 * Written as one big-endian number without leading zero bytes; the empty set is no byte at all.
 *
 * Source: avalanchego utils/set/bits.go.
 */

import { Fault } from '../../core/fault.ts'
import { u8At } from '../../core/item-at.ts'

/** Bytes of a set of indices. Order and repetition do not matter. */
export function encodeBitSet(indices: readonly number[]): Uint8Array {
  let highest = -1
  for (const index of indices) highest = Math.max(highest, index)
  const bytes = new Uint8Array(highest < 0 ? 0 : (highest >> 3) + 1)
  for (const index of indices) {
    const at = bytes.length - 1 - (index >> 3)
    bytes[at] = u8At(bytes, at) | (1 << (index & 7))
  }
  return bytes
}

/** Indices of a set, ascending. Throws `bad-bytes` when a leading byte is zero. */
export function decodeBitSet(bytes: Uint8Array): number[] {
  if (bytes[0] === 0) throw new Fault('bad-bytes', 'bit set has a leading zero byte')
  const indices: number[] = []
  for (let at = bytes.length - 1; at >= 0; at--) {
    const base = (bytes.length - 1 - at) * 8
    for (let bit = 0; bit < 8; bit++) {
      if ((u8At(bytes, at) & (1 << bit)) !== 0) indices.push(base + bit)
    }
  }
  return indices
}
