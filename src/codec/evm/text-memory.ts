/**
 * Memory in which the text of a reply lies while it is read, beside what is hashed of it.
 *
 * One for each thread (`thread-memory.ts`): whoever reads begins with {@link TextMemory.load}, and
 * keeps places only.
 */

import { hexDigits } from '../../core/bytes.ts'
import { u8At } from '../../core/item-at.ts'
import { HashMemory } from './hash-memory.ts'
import { firstFree } from './keccak-code.ts'
import { headSize, writeHead } from './rlp-head.ts'
import { RlpWriter } from './rlp-writer.ts'

/** Thrown where a text is not of the plain form; the catcher reads it by `JSON.parse`. */
export const notPlain = new Error('not of the plain form')

/**
 * Returns whether an error says that a text is not of the plain form. A place outside of the memory is one
 * outside of the text; memory that had to grow, beyond what any text of nodes needs, lets go of its views.
 */
export function isNotPlain(error: unknown): boolean {
  return error === notPlain || error instanceof RangeError || error instanceof TypeError
}

/** Replies that are longer are left to `JSON.parse`. */
export const maxTextBytes = 3 * 1024 * 1024

/** Between a text and what is written: a place past its end is never text of an earlier one. */
const gap = 64

/** From this many digits on they are read sixteen at once. */
const fastFrom = 32

/** Text and, behind it, RLP. */
export class TextMemory {
  readonly writer: RlpWriter
  /** All of the memory. */
  view: DataView
  bytes: Uint8Array<ArrayBuffer>
  /** Where the last item's own bytes begin. */
  itemAt = 0

  constructor() {
    const memory = new HashMemory()
    this.writer = new RlpWriter(memory)
    this.bytes = memory.bytes
    this.view = new DataView(this.bytes.buffer)
  }

  /** Makes room for a text of `size` bytes and all that is written of it. Returns where it begins. */
  load(size: number): number {
    const { memory } = this.writer
    memory.reserve(firstFree + 4 * size + 65_536)
    if (memory.bytes !== this.bytes) {
      this.bytes = memory.bytes
      this.view = new DataView(this.bytes.buffer)
    }
    const end = firstFree + size
    this.bytes.fill(0, end, end + gap)
    this.writer.at = end + gap
    return firstFree
  }

  /** Returns whether the `size` bytes at two places are the same. */
  same(one: number, other: number, size: number): boolean {
    const { view } = this
    let at = 0
    for (; at + 4 <= size; at += 4)
      if (view.getInt32(one + at) !== view.getInt32(other + at)) return false
    for (; at < size; at++) if (view.getUint8(one + at) !== view.getUint8(other + at)) return false
    return true
  }

  /** Returns whether `[from, until)` is `0x` and an even number of at least 32 digits. */
  isLongHex(from: number, until: number): boolean {
    const digits = until - from - 2
    if (digits < fastFrom || digits % 2 !== 0 || !this.is0x(from)) return false
    return this.writer.memory.unhex(from + 2, until, this.writer.at)
  }

  is0x(from: number): boolean {
    return from > 0 && this.view.getUint8(from) === 48 && this.view.getUint8(from + 1) === 120
  }

  /** Text of `[from, until)`. */
  textAt(from: number, until: number): string {
    return this.writer.memory.text.toString('latin1', from, until)
  }

  /** A quantity below 2^53. */
  number(from: number, until: number): number {
    if (!this.is0x(from) || until - from < 3) throw notPlain
    let number = 0
    for (let at = from + 2; at < until; at++) number = number * 16 + this.#digit(at)
    if (number > Number.MAX_SAFE_INTEGER) throw notPlain
    return number
  }

  /** Writes a quantity as RLP. */
  writeQuantity(from: number, until: number): void {
    if (!this.is0x(from) || until - from < 3) throw notPlain
    let first = from + 2
    while (first < until && this.view.getUint8(first) === 48) first++
    this.#write(first, until)
  }

  /** Writes a byte string as RLP. */
  writeString(from: number, until: number): void {
    if (!this.is0x(from) || (until - from) % 2 !== 0) throw notPlain
    this.#write(from + 2, until)
  }

  /** Bytes that a byte string takes with its head. */
  sizeOfString(from: number, until: number): number {
    const size = (until - from - 2) >>> 1
    if (size === 1 && this.view.getUint8(from + 2) < 0x38) return 1
    return headSize(size) + size
  }

  /** The head of a byte string (0x80) or list (0xc0) of `size` bytes. */
  writeHead(size: number, base: number): void {
    const { writer } = this
    if (size < 56) this.bytes[writer.at++] = base + size
    else writer.at = writeHead(this.bytes, writer.at, { size, base })
  }

  /** Writes the bytes of exactly `size` that `0x…` says. Returns where they are. */
  writeFixed(from: number, until: number, size: number): number {
    const to = this.writer.at
    if (until - from !== 2 + 2 * size || !this.is0x(from)) throw notPlain
    this.#digits(from + 2, until)
    return to
  }

  #write(first: number, until: number): void {
    const { writer, bytes } = this
    const size = (until - first + 1) >>> 1
    const isOdd = (until - first) % 2 === 1
    if (size === 1) {
      const value = isOdd ? this.#digit(first) : (this.#digit(first) << 4) | this.#digit(first + 1)
      if (value >= 0x80) bytes[writer.at++] = 0x81
      this.itemAt = writer.at
      bytes[writer.at++] = value
      return
    }
    this.writeHead(size, 0x80)
    this.itemAt = writer.at
    if (isOdd) bytes[writer.at++] = this.#digit(first)
    this.#digits(isOdd ? first + 1 : first, until)
  }

  /** Bytes of an even number of digits. */
  #digits(from: number, until: number): void {
    const { writer, bytes } = this
    if (until - from >= fastFrom) {
      if (!writer.memory.unhex(from, until, writer.at)) throw notPlain
      writer.at += (until - from) >>> 1
      return
    }
    for (let at = from; at < until; at += 2)
      bytes[writer.at++] = (this.#digit(at) << 4) | this.#digit(at + 1)
  }

  #digit(at: number): number {
    const digit = u8At(hexDigits, this.view.getUint8(at))
    if (digit === 255) throw notPlain
    return digit
  }
}
