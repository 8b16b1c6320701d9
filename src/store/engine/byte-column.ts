/**
 * Byte strings that lie in one piece of memory.
 *
 * A column of views would keep an object per row until it is written, and tens of thousands of
 * these outlive the young heap; here each is made when it is bound, and forgotten.
 */
import { u32At } from '../../core/item-at.ts'

/** A column of byte strings. */
export class ByteColumn {
  readonly length: number
  readonly arena: Uint8Array
  readonly offsets: Uint32Array
  readonly lengths: Uint32Array
  /** Where given: 1 for rows that have bytes, 0 for NULL. */
  readonly present: Uint8Array | undefined

  /** Row `i` is the `lengths[i]` bytes at `offsets[i]`, NULL where `present` is given and 0. */
  constructor(
    arena: Uint8Array,
    place: { readonly offset: Uint32Array; readonly length: Uint32Array },
    rows: { readonly count: number; readonly present?: Uint8Array | undefined },
  ) {
    this.arena = arena
    this.offsets = place.offset
    this.lengths = place.length
    this.present = rows.present
    this.length = rows.count
  }

  /** `packed` cut into rows of `width` bytes; `present` as above. */
  static ofWidth(packed: Uint8Array, width: number, present?: Uint8Array): ByteColumn {
    const count = packed.length / width
    const length = new Uint32Array(count).fill(width)
    const place = { offset: length.map((_, at) => at * width), length }
    return new ByteColumn(packed, place, present === undefined ? { count } : { count, present })
  }

  /** Value of a row, sharing the memory. */
  at(row: number): Uint8Array | null {
    if (this.present !== undefined && this.present[row] !== 1) return null
    const from = u32At(this.offsets, row)
    return this.arena.subarray(from, from + u32At(this.lengths, row))
  }
}
