/**
 * Distinct addresses of a batch, numbered from 0 in order of first sight.
 *
 * An open-addressing table over the five words of an address, read straight from hex digits:
 * no string is made or hashed, letter case does not matter, and the low 20 bytes of a topic
 * need no copy.
 */

import { u32At } from '../../core/item-at.ts'
import { addressHash } from './address-hash.ts'
import { hexText, hexWord, notHex } from './hex.ts'

/** Numbers of addresses. Lives for one batch. */
export class AddressBook {
  /** Number + 1 of the address in each slot; 0 is free. The size is a power of two. */
  #slots: Uint32Array<ArrayBuffer>
  /** Five big-endian words per address. */
  #words: Uint32Array<ArrayBuffer>
  count = 0

  constructor(capacity: number) {
    let size = 64
    while (size < capacity * 2) size *= 2
    this.#slots = new Uint32Array(size)
    this.#words = new Uint32Array((size / 2) * 5)
  }

  /** Number of the address `0x` + 40 digits. */
  idOf(value: unknown, what: string): number {
    const text = hexText(value, what)
    if (text.length !== 42) throw notHex(value, what)
    return this.idAt(text, 2)
  }

  /** Number of the address in the 40 digits of `text` from `at`. */
  idAt(text: string, at: number): number {
    return this.#idOfWords(
      hexWord(text, at),
      hexWord(text, at + 8),
      hexWord(text, at + 16),
      hexWord(text, at + 24),
      hexWord(text, at + 32),
    )
  }

  /** Numbers here of the addresses another book gave as bytes, in its order. */
  join(addresses: Uint8Array): Uint32Array {
    const view = new DataView(addresses.buffer, addresses.byteOffset, addresses.byteLength)
    const ids = new Uint32Array(addresses.length / 20)
    for (let id = 0, at = 0; id < ids.length; id++, at += 20)
      ids[id] = this.#idOfWords(
        view.getUint32(at),
        view.getUint32(at + 4),
        view.getUint32(at + 8),
        view.getUint32(at + 12),
        view.getUint32(at + 16),
      )
    return ids
  }

  // oxlint-disable-next-line max-params -- five words are the address; an array would be garbage
  #idOfWords(a: number, b: number, c: number, d: number, e: number): number {
    const mask = this.#slots.length - 1
    let slot = addressHash(a, b, c, d, e) & mask
    for (;;) {
      const found = u32At(this.#slots, slot)
      if (found === 0) break
      const base = (found - 1) * 5
      if (
        this.#words[base + 4] === e &&
        this.#words[base] === a &&
        this.#words[base + 1] === b &&
        this.#words[base + 2] === c &&
        this.#words[base + 3] === d
      )
        return found - 1
      slot = (slot + 1) & mask
    }
    const base = this.count * 5
    this.#words[base] = a
    this.#words[base + 1] = b
    this.#words[base + 2] = c
    this.#words[base + 3] = d
    this.#words[base + 4] = e
    this.#slots[slot] = ++this.count
    if (this.count * 2 >= this.#slots.length) this.#grow()
    return this.count - 1
  }

  /** 20 bytes each, in order of number. */
  taken(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.count * 20)
    for (let at = 0; at < this.count * 5; at++) {
      const word = u32At(this.#words, at)
      bytes[at * 4] = word >>> 24
      bytes[at * 4 + 1] = word >>> 16
      bytes[at * 4 + 2] = word >>> 8
      bytes[at * 4 + 3] = word
    }
    return bytes
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let id = 0; id < this.count; id++) {
      const base = id * 5
      let slot =
        addressHash(
          u32At(words, base),
          u32At(words, base + 1),
          u32At(words, base + 2),
          u32At(words, base + 3),
          u32At(words, base + 4),
        ) & mask
      while (u32At(this.#slots, slot) !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id + 1
    }
  }
}
