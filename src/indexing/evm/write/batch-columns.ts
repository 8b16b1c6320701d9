/** Columns of a decoded batch as columns of the store. */

import { type Slices, noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'

/** Items of `slices`. */
export function bytesOf(arena: Uint8Array, slices: Slices, count: number): ByteColumn {
  return new ByteColumn(arena, slices, { count })
}

/** Item `at` of `slices`, sharing the arena. */
export function byteAt(arena: Uint8Array, slices: Slices, at: number): Uint8Array {
  const from = u32At(slices.offset, at)
  return arena.subarray(from, from + u32At(slices.length, at))
}

/** Items where `present` is 1, NULL elsewhere. */
export function optionalBytesOf(
  arena: Uint8Array,
  slices: Slices,
  present: Uint8Array,
): ByteColumn {
  return new ByteColumn(arena, slices, { count: present.length, present })
}

/** Stored numbers of addresses named by their place in the batch. */
export function idsOf(places: Uint32Array, ids: Float64Array): Float64Array {
  const named = new Float64Array(places.length)
  for (let at = 0; at < places.length; at++) named[at] = f64At(ids, u32At(places, at))
  return named
}

/** As {@link idsOf}, NULL for no address. */
export function optionalIdsOf(places: Uint32Array, ids: Float64Array): (number | null)[] {
  const named: (number | null)[] = []
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? noAddress
    named.push(place === noAddress ? null : f64At(ids, place))
  }
  return named
}

/** First 48 bits of each 32-byte hash, as an integer. */
export function prefixesOf(hashes: Uint8Array): Float64Array {
  const prefixes = new Float64Array(hashes.length / 32)
  for (let row = 0; row < prefixes.length; row++) {
    const at = row * 32
    const high = u8At(hashes, at) * 256 + u8At(hashes, at + 1)
    const low =
      u8At(hashes, at + 2) * 0x100_0000 +
      u8At(hashes, at + 3) * 0x1_0000 +
      u8At(hashes, at + 4) * 0x100 +
      u8At(hashes, at + 5)
    prefixes[row] = high * 2 ** 32 + low
  }
  return prefixes
}

/**
 * Positions of rows that lie in `rowBlock[i]`: height × 2^20 + count of rows of the block before.
 *
 * Also the rows' places in their blocks. Rows are in order of blocks; a block that has more rows
 * than places is found by `overfull`.
 */
export function placesOf(
  from: number,
  rowBlock: Uint32Array,
): { pos: Float64Array; place: Uint32Array; overfull: number | undefined } {
  const pos = new Float64Array(rowBlock.length)
  const place = new Uint32Array(rowBlock.length)
  let current = -1
  let next = 0
  let overfull: number | undefined
  for (let row = 0; row < rowBlock.length; row++) {
    const block = u32At(rowBlock, row)
    if (block !== current) {
      current = block
      next = 0
    }
    if (next >= placesPerBlock) overfull ??= from + block
    place[row] = next
    pos[row] = (from + block) * placesPerBlock + next
    next++
  }
  return { pos, place, overfull }
}
