/**
 * Numbers by short byte keys, without a string or an object per key: four look-ups a transaction
 * need as many as there are addresses in it.
 */

import { keyOf } from '../../../core/bytes.ts'
import { FlatTable } from '../../../core/flat-table.ts'
import { f64At, u8At } from '../../../core/item-at.ts'

/** Longest key: an id. Longer ones are kept as strings. */
export const maxKeyBytes = 32

// Length, then the key as little-endian words.
const keyWords = 1 + maxKeyBytes / 4
const firstCapacity = 1_024

/** Numbers, all but 0, by keys of at most {@link maxKeyBytes} bytes: about 56 bytes a key. */
export class KeyTable {
  readonly #keys = new FlatTable(keyWords, firstCapacity)
  #numbers = new Float64Array(firstCapacity)
  readonly #others = new Map<string, number>()

  /** The number of the key in bytes `[from, until)` of `bytes`; 0 when it has none. */
  get(bytes: Uint8Array, from = 0, until = bytes.length): number {
    if (until - from > maxKeyBytes) return this.#others.get(keyOf(bytes.subarray(from, until))) ?? 0
    const entry = this.#keys.find(this.#want(bytes, from, until))
    return entry === -1 ? 0 : f64At(this.#numbers, entry)
  }

  /** The number of the key in those bytes; it gets `number` when it has none. */
  add(bytes: Uint8Array, number: number, from = 0, until = bytes.length): number {
    if (until - from > maxKeyBytes) {
      const key = keyOf(bytes.subarray(from, until))
      const known = this.#others.get(key)
      if (known === undefined) this.#others.set(key, number)
      return known ?? number
    }
    const before = this.#keys.count
    const entry = this.#keys.entryOf(this.#want(bytes, from, until))
    if (entry < before) return f64At(this.#numbers, entry)
    if (entry === this.#numbers.length) {
      const numbers = new Float64Array(entry * 2)
      numbers.set(this.#numbers)
      this.#numbers = numbers
    }
    this.#numbers[entry] = number
    return number
  }

  /** Gives `key`, which has a number, another. */
  change(key: Uint8Array, number: number): void {
    if (key.length > maxKeyBytes) this.#others.set(keyOf(key), number)
    else this.#numbers[this.#keys.find(this.#want(key, 0, key.length))] = number
  }

  size(): number {
    return this.#keys.count + this.#others.size
  }

  clear(): void {
    this.#keys.clear()
    this.#others.clear()
  }

  /** Loads a key for the next call, and returns its words. */
  #want(bytes: Uint8Array, from: number, until: number): number {
    const { key } = this.#keys
    let word = 0
    key[word++] = until - from
    let at = from
    for (; at + 4 <= until; at += 4)
      key[word++] =
        u8At(bytes, at) |
        (u8At(bytes, at + 1) << 8) |
        (u8At(bytes, at + 2) << 16) |
        (u8At(bytes, at + 3) << 24)
    if (at === until) return word
    let rest = 0
    for (let shift = 0; at < until; at++, shift += 8) rest |= u8At(bytes, at) << shift
    key[word++] = rest
    return word
  }
}
