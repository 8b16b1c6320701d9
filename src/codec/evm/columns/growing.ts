/**
 * The arena byte strings of a batch lie in, and columns of them; they grow as `core/growing.ts`
 * says.
 */

import { Words } from '../../../core/growing.ts'
import { u8At } from '../../../core/item-at.ts'
import { notHex, hexText, writeHex, hexDigit } from '../hex.ts'

/** Growing bytes: small integers, or fixed-width items pushed as hex. */
export class Bytes {
  #values: Uint8Array<ArrayBuffer>
  /** The same memory, as the runtime writes hex to. */
  #buffer: Buffer
  length = 0

  constructor(capacity: number) {
    this.#values = new Uint8Array(Math.max(capacity, 8))
    this.#buffer = Buffer.from(this.#values.buffer)
  }

  push(value: number): void {
    this.reserve(1)
    this.#values[this.length++] = value
  }

  /** Room for `size` more bytes. */
  reserve(size: number): void {
    if (this.length + size <= this.#values.length) return
    const grown = new Uint8Array(Math.max(this.#values.length * 2, this.length + size))
    grown.set(this.#values)
    this.#values = grown
    this.#buffer = Buffer.from(grown.buffer)
  }

  /** Appends what `0x…` says, which must be exactly `size` bytes when that is given. */
  pushHex(value: unknown, what: string, size?: number): number {
    const text = hexText(value, what)
    const bytes = (text.length - 2) / 2
    if (!Number.isInteger(bytes) || (size !== undefined && bytes !== size))
      throw notHex(value, what)
    this.reserve(bytes)
    writeHex(text, { from: 2, until: text.length }, this.#buffer, this.length)
    this.length += bytes
    return bytes
  }

  /** Appends digits `[from, until)` of `text`, an even number of them. */
  pushDigits(text: string, from: number, until: number): void {
    this.reserve((until - from) >>> 1)
    writeHex(text, { from, until }, this.#buffer, this.length)
    this.length += (until - from) >>> 1
  }

  pushBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.#values.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends `[from, until)` of `bytes`, without a view of them. */
  pushPart(bytes: Uint8Array, from: number, until: number): void {
    this.reserve(until - from)
    for (let at = from; at < until; at++) this.#values[this.length++] = u8At(bytes, at)
  }

  taken(): Uint8Array<ArrayBuffer> {
    return this.#values.subarray(0, this.length)
  }
}

/** Growing slices of one arena: offset and length of each item. */
export class GrowingSlices {
  readonly offset: Words
  readonly sizes: Words
  readonly #arena: Bytes

  constructor(arena: Bytes, capacity: number) {
    this.#arena = arena
    this.offset = new Words(capacity)
    this.sizes = new Words(capacity)
  }

  /** Zero, or no bytes. */
  pushEmpty(): void {
    this.offset.push(0)
    this.sizes.push(0)
  }

  /** The bytes `0x…` says. */
  pushHex(value: unknown, what: string): void {
    const start = this.#arena.length
    this.#arena.pushHex(value, what)
    this.offset.push(start)
    this.sizes.push(this.#arena.length - start)
  }

  /** A quantity, without leading zero bytes. */
  pushQuantity(value: unknown, what: string): void {
    const text = hexText(value, what)
    this.pushInteger(text, 2, text.length)
  }

  /** The integer written in digits `[from, until)` of `text`, without leading zero bytes. */
  pushInteger(text: string, from: number, until: number): void {
    let first = from
    while (first < until && text.charCodeAt(first) === 48) first++
    if (first === until) {
      this.pushEmpty()
      return
    }
    const start = this.#arena.length
    if ((until - first) % 2 === 1) {
      const digit = hexDigit(text, first)
      if (digit === 255) throw notHex(text, 'integer')
      this.#arena.push(digit)
      first++
    }
    this.#arena.pushDigits(text, first, until)
    this.offset.push(start)
    this.sizes.push(this.#arena.length - start)
  }

  pushBytes(bytes: Uint8Array): void {
    this.offset.push(this.#arena.length)
    this.sizes.push(bytes.length)
    this.#arena.pushBytes(bytes)
  }

  /** The integer in `[from, until)` of `bytes`, without leading zero bytes. */
  pushPart(bytes: Uint8Array, from: number, until: number): void {
    let first = from
    while (first < until && u8At(bytes, first) === 0) first++
    if (first === until) {
      this.pushEmpty()
      return
    }
    const start = this.#arena.length
    this.#arena.pushPart(bytes, first, until)
    this.pushFrom(start)
  }

  /** An item whose bytes were already put into the arena from `start` on. */
  pushFrom(start: number): void {
    this.offset.push(start)
    this.sizes.push(this.#arena.length - start)
  }

  taken(): { offset: Uint32Array<ArrayBuffer>; length: Uint32Array<ArrayBuffer> } {
    return { offset: this.offset.taken(), length: this.sizes.taken() }
  }
}
