/**
 * Numbers by short byte keys, without a string or an object per key: four look-ups a transaction
 * need as many as there are addresses in it.
 *
 * Open addressing over flat memory. Keys come from chains, where anybody may choose them: a search
 * that meets too many others goes on in a map of strings, whose hash nobody can aim at.
 */

import { keyOf } from '../../../core/bytes.ts'
import { f64At, i32At, u8At } from '../../../core/item-at.ts'

/** Longest key: an id. Longer ones are kept as strings. */
export const maxKeyBytes = 32

// Length, then the key as little-endian words; what is after it has no meaning.
const stride = 1 + maxKeyBytes / 4
// At most half full, a search meets two on average.
const maxSteps = 24
const firstCapacity = 1_024

/** Numbers, all but 0, by keys of at most {@link maxKeyBytes} bytes: about 78 bytes a key. */
export class KeyTable {
  #slots = new Int32Array(2 * firstCapacity)
  #keys = new Int32Array(stride * firstCapacity)
  #numbers = new Float64Array(firstCapacity)
  #used = 0
  readonly #others = new Map<string, number>()
  /** The key that is looked for, as it is kept. */
  readonly #wanted = new Int32Array(stride + 1)

  /** The number of the key in bytes `[from, until)` of `bytes`; 0 when it has none. */
  get(bytes: Uint8Array, from = 0, until = bytes.length): number {
    const slot = this.#slotFor(bytes, from, until)
    const entry = slot === -1 ? 0 : i32At(this.#slots, slot)
    if (entry > 0) return f64At(this.#numbers, entry - 1)
    return this.#others.size === 0 ? 0 : (this.#others.get(keyOf(bytes.subarray(from, until))) ?? 0)
  }

  /** The number of the key in those bytes; it gets `number` when it has none. */
  add(bytes: Uint8Array, number: number, from = 0, until = bytes.length): number {
    if (this.#used === this.#numbers.length) this.#grow()
    const slot = this.#slotFor(bytes, from, until)
    if (slot === -1) return this.#addOther(keyOf(bytes.subarray(from, until)), number)
    const entry = i32At(this.#slots, slot)
    if (entry > 0) return f64At(this.#numbers, entry - 1)
    const at = this.#used * stride
    for (let word = 0; word < stride; word++) this.#keys[at + word] = i32At(this.#wanted, word)
    this.#numbers[this.#used] = number
    this.#slots[slot] = ++this.#used
    return number
  }

  #addOther(key: string, number: number): number {
    const known = this.#others.get(key)
    if (known === undefined) this.#others.set(key, number)
    return known ?? number
  }

  /** Gives `key`, which has a number, another. */
  change(key: Uint8Array, number: number): void {
    const slot = this.#slotFor(key, 0, key.length)
    const entry = slot === -1 ? 0 : i32At(this.#slots, slot)
    if (entry > 0) this.#numbers[entry - 1] = number
    else this.#others.set(keyOf(key), number)
  }

  size(): number {
    return this.#used + this.#others.size
  }

  clear(): void {
    this.#slots.fill(0)
    this.#used = 0
    this.#others.clear()
  }

  #slotFor(bytes: Uint8Array, from: number, until: number): number {
    return until - from > maxKeyBytes ? -1 : this.#slotOf(this.#want(bytes, from, until))
  }

  /** Makes a key the wanted one, and gives its hash. */
  #want(bytes: Uint8Array, from: number, until: number): number {
    const wanted = this.#wanted
    let hash = until - from
    let word = 0
    wanted[word++] = hash
    let at = from
    for (; at + 4 <= until; at += 4) {
      const value =
        u8At(bytes, at) |
        (u8At(bytes, at + 1) << 8) |
        (u8At(bytes, at + 2) << 16) |
        (u8At(bytes, at + 3) << 24)
      wanted[word++] = value
      hash = Math.imul(hash ^ value, 0x9e37_79b1)
      hash ^= hash >>> 15
    }
    let rest = 0
    for (let shift = 0; at < until; at++, shift += 8) rest |= u8At(bytes, at) << shift
    wanted[word] = rest
    hash = Math.imul(hash ^ rest, 0x9e37_79b1)
    return hash ^ (hash >>> 13)
  }

  /** The slot that has the wanted key or may take it; -1 when there is none near. */
  #slotOf(hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask, step = 0; step < maxSteps; step++) {
      const entry = i32At(slots, slot)
      if (entry === 0 || this.#holdsWanted(entry - 1)) return slot
      slot = (slot + 1) & mask
    }
    return -1
  }

  #holdsWanted(entry: number): boolean {
    const keys = this.#keys
    const wanted = this.#wanted
    const from = entry * stride
    const words = 1 + ((i32At(wanted, 0) + 3) >>> 2)
    for (let at = 0; at < words; at++) if (keys[from + at] !== wanted[at]) return false
    return true
  }

  #grow(): void {
    const entries = this.#numbers.length * 2
    const keys = new Int32Array(stride * entries)
    keys.set(this.#keys)
    this.#keys = keys
    const numbers = new Float64Array(entries)
    numbers.set(this.#numbers)
    this.#numbers = numbers
    this.#slots = new Int32Array(2 * entries)
    const bytes = new Uint8Array(keys.buffer)
    for (let entry = 0; entry < this.#used; entry++) {
      const from = (entry * stride + 1) * 4
      const until = from + i32At(keys, entry * stride)
      const slot = this.#slotFor(bytes, from, until)
      if (slot === -1) this.#others.set(keyOf(bytes.subarray(from, until)), f64At(numbers, entry))
      else this.#slots[slot] = entry + 1
    }
  }
}
