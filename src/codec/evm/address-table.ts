/**
 * Entries of addresses, numbered from 0 in the order they were added: open addressing over flat memory,
 * at most half full. An address is five words of 32 bits, all of one order of bytes.
 *
 * Short byte keys of any length have `KeyTable`, which costs twice as much a look; outputs have
 * `UtxoTable`, which forgets the oldest.
 */

import { u32At } from '../../core/item-at.ts'
import { addressHash } from './address-hash.ts'

/** Words of an address. */
export const addressWords = 5

/** A table of addresses, which grows. */
export class AddressTable {
  /** Entry + 1 of the address in each slot; 0 is free. The size is a power of two. */
  #slots: Uint32Array<ArrayBuffer>
  #words: Uint32Array<ArrayBuffer>
  count = 0

  /** A table with room for `capacity` addresses. */
  constructor(capacity: number) {
    let size = 64
    while (size < capacity * 2) size *= 2
    this.#slots = new Uint32Array(size)
    this.#words = new Uint32Array((size / 2) * addressWords)
  }

  /** Words of all entries, in their order. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.count * addressWords)
  }

  /** The entry of an address, or -1. */
  // oxlint-disable-next-line max-params -- five words are the address; an array would be garbage
  find(a: number, b: number, c: number, d: number, e: number): number {
    return u32At(this.#slots, this.#slotOf(a, b, c, d, e)) - 1
  }

  /** The entry of an address, which is added where it has none. */
  // oxlint-disable-next-line max-params -- see above
  entryOf(a: number, b: number, c: number, d: number, e: number): number {
    let slot = this.#slotOf(a, b, c, d, e)
    const found = u32At(this.#slots, slot)
    if (found !== 0) return found - 1
    if (this.count * 2 === this.#slots.length) {
      this.#grow()
      slot = this.#slotOf(a, b, c, d, e)
    }
    const base = this.count * addressWords
    this.#words[base] = a
    this.#words[base + 1] = b
    this.#words[base + 2] = c
    this.#words[base + 3] = d
    this.#words[base + 4] = e
    this.#slots[slot] = ++this.count
    return this.count - 1
  }

  clear(): void {
    this.#slots.fill(0)
    this.count = 0
  }

  /** The slot that has an address or may take it. */
  // oxlint-disable-next-line max-params -- see above
  #slotOf(a: number, b: number, c: number, d: number, e: number): number {
    const slots = this.#slots
    const words = this.#words
    const mask = slots.length - 1
    let slot = addressHash(a, b, c, d, e) & mask
    for (;;) {
      const found = u32At(slots, slot)
      if (found === 0) return slot
      const base = (found - 1) * addressWords
      if (
        words[base + 4] === e &&
        words[base] === a &&
        words[base + 1] === b &&
        words[base + 2] === c &&
        words[base + 3] === d
      )
        return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let entry = 0; entry < this.count; entry++) {
      const base = entry * addressWords
      const slot = this.#slotOf(
        u32At(words, base),
        u32At(words, base + 1),
        u32At(words, base + 2),
        u32At(words, base + 3),
        u32At(words, base + 4),
      )
      this.#slots[slot] = entry + 1
    }
  }
}
