/** Byte strings one after another. */

import { u32At, u8At } from '../../core/item-at.ts'

const firstBytes = 4_096

/** Bytes of rows, added in the order of the rows; a row without bytes has none. */
export class ByteHeap {
  #bytes = new Uint8Array(firstBytes)
  #length = 0
  readonly #ends: Uint32Array

  /** Has room for `most` rows. */
  constructor(most: number) {
    this.#ends = new Uint32Array(most)
  }

  clear(): void {
    this.#length = 0
  }

  /** All bytes of the rows that are there. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Bytes of a row, sharing the memory. */
  at(row: number): Uint8Array {
    return this.#bytes.subarray(this.#startOf(row), u32At(this.#ends, row))
  }

  add(row: number, bytes: Uint8Array | undefined): void {
    if (bytes !== undefined) this.#append(bytes)
    this.#ends[row] = this.#length
  }

  /** Adds the `length` bytes from `from` on of `arena`. */
  addPart(
    row: number,
    arena: Uint8Array,
    { from, length }: { readonly from: number; readonly length: number },
  ): void {
    this.#reserve(length)
    // Short strings are copied faster one by one than as a view.
    if (length > 64) this.#bytes.set(arena.subarray(from, from + length), this.#length)
    else for (let at = 0; at < length; at++) this.#bytes[this.#length + at] = u8At(arena, from + at)
    this.#length += length
    this.#ends[row] = this.#length
  }

  /** Adds rows `[from, until)` of `other`, the first of them as row `row`. */
  addRange(
    row: number,
    other: ByteHeap,
    { from, until }: { readonly from: number; readonly until: number },
  ): void {
    const start = other.#startOf(from)
    const shift = this.#length - start
    for (let at = from; at < until; at++)
      this.#ends[row + at - from] = u32At(other.#ends, at) + shift
    if (until === from) return
    this.addPart(row + until - from - 1, other.#bytes, {
      from: start,
      length: u32At(other.#ends, until - 1) - start,
    })
  }

  /** Adds rows whose ends in `bytes` are `ends`, the first of them as row `row`. */
  addAll(row: number, bytes: Uint8Array, ends: Uint32Array): void {
    for (let at = 0; at < ends.length; at++) this.#ends[row + at] = this.#length + u32At(ends, at)
    this.#append(bytes)
  }

  #startOf(row: number): number {
    return row === 0 ? 0 : u32At(this.#ends, row - 1)
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
