/**
 * A hash table without an object per key: open addressing over flat memory, at most half full.
 *
 * Keys come from chains, where anybody may choose them for the price of a transaction or a log.
 * The hash has a secret of this process in it: without, an attacker could fill one slot of every
 * table, and a batch would take minutes.
 */

import { randomBytes } from 'node:crypto'

import { i32At, u32At } from './item-at.ts'

const secret = randomBytes(8)
const first = secret.readUInt32LE(0)
const second = secret.readUInt32LE(4)

/**
 * Keys of at most `width` words of 32 bits each, numbered from 0 in the order they were added. Keys
 * of different length differ in the words that both have.
 */
export class FlatTable {
  count = 0
  /** The key of the next call, which the caller writes. */
  readonly key: Uint32Array<ArrayBuffer>
  /** Entry + 1 of the key in each slot; 0 is free. The size is a power of two. */
  #slots: Uint32Array<ArrayBuffer>
  #words: Uint32Array<ArrayBuffer>
  #hashes: Int32Array<ArrayBuffer>

  /** An empty table with room for `capacity` keys. It grows. */
  constructor(width: number, capacity: number) {
    let size = 64
    while (size < capacity * 2) size *= 2
    this.key = new Uint32Array(width)
    this.#slots = new Uint32Array(size)
    this.#words = new Uint32Array((size / 2) * width)
    this.#hashes = new Int32Array(size / 2)
  }

  /** Words of all keys, in the order of their numbers; of shorter keys the rest has no meaning. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.count * this.key.length)
  }

  /** The number of the key in the first `length` words of `key`, or -1. */
  find(length: number): number {
    return u32At(this.#slots, this.#slotOf(hashOf(this.key, length), length)) - 1
  }

  /** The number of the key in the first `length` words of `key`; it gets one where it has none. */
  entryOf(length: number): number {
    const hash = hashOf(this.key, length)
    let slot = this.#slotOf(hash, length)
    const found = u32At(this.#slots, slot)
    if (found !== 0) return found - 1
    if (this.count * 2 === this.#slots.length) {
      const words = new Uint32Array(this.#words.length * 2)
      words.set(this.#words)
      this.#words = words
      const hashes = new Int32Array(this.#hashes.length * 2)
      hashes.set(this.#hashes)
      this.#hashes = hashes
      const slots = new Uint32Array(this.#slots.length * 2)
      const mask = slots.length - 1
      for (let entry = 0; entry < this.count; entry++) {
        let slot = i32At(hashes, entry) & mask
        while (slots[slot] !== 0) slot = (slot + 1) & mask
        slots[slot] = entry + 1
      }
      this.#slots = slots
      slot = this.#slotOf(hash, length)
    }
    const { key } = this
    const words = this.#words
    const base = this.count * key.length
    for (let at = 0; at < length; at++) words[base + at] = u32At(key, at)
    this.#hashes[this.count] = hash
    this.#slots[slot] = ++this.count
    return this.count - 1
  }

  clear(): void {
    this.#slots.fill(0)
    this.count = 0
  }

  /** The slot that has the key or may take it. */
  #slotOf(hash: number, length: number): number {
    const slots = this.#slots
    const words = this.#words
    const { key } = this
    const width = key.length
    const mask = slots.length - 1
    let slot = hash & mask
    for (;;) {
      const found = u32At(slots, slot)
      if (found === 0) return slot
      const base = (found - 1) * width
      let at = 0
      while (at < length && words[base + at] === key[at]) at++
      if (at === length) return slot
      slot = (slot + 1) & mask
    }
  }
}

function hashOf(words: Uint32Array, length: number): number {
  let hash = first
  for (let at = 0; at < length; at++)
    hash = Math.imul((hash ^ u32At(words, at)) + (hash >>> 15), 0x85eb_ca77)
  hash = Math.imul((hash ^ second) + (hash >>> 13), 0x1656_67b1)
  return hash ^ (hash >>> 16)
}
