/**
 * Numbers by short byte keys, without a string or an object per key: four look-ups a transaction
 * need as many as there are addresses in it.
 *
 * Open addressing over flat memory. Keys come from chains, where anybody may choose them: a search
 * that meets too many others goes on in a map of strings, whose hash nobody can aim at.
 */

import { keyOf } from '../../core/bytes.ts'

/** Numbers, all but 0, by keys of at most {@link maxKeyBytes} bytes. */
export type KeyTable = {
  /** The number of the key in bytes `[from, until)` of `bytes`; 0 when it has none. */
  readonly get: (bytes: Uint8Array, from?: number, until?: number) => number
  /** Gives `key`, which has none, a number. */
  readonly add: (key: Uint8Array, number: number) => void
  /** Gives `key`, which has a number, another. */
  readonly change: (key: Uint8Array, number: number) => void
  readonly size: () => number
  readonly clear: () => void
}

/** Longest key: an id. Longer ones are kept as strings. */
export const maxKeyBytes = 32

// Length, then the key.
const stride = 1 + maxKeyBytes
// At most half full, a search meets two on average.
const maxSteps = 24
const firstCapacity = 1_024

/** An empty table: about 74 bytes a key. */
export function newKeyTable(): KeyTable {
  let slots = new Int32Array(2 * firstCapacity)
  let keys = new Uint8Array(stride * firstCapacity)
  let numbers = new Float64Array(firstCapacity)
  let used = 0
  const others = new Map<string, number>()

  const holds = (entry: number, bytes: Uint8Array, from: number, until: number): boolean => {
    let at = entry * stride
    if (keys[at++] !== until - from) return false
    for (let one = from; one < until; one++) if (keys[at++] !== bytes[one]) return false
    return true
  }

  /** The slot that has a key or may take it; -1 when there is none near. */
  const slotOf = (bytes: Uint8Array, from: number, until: number): number => {
    const mask = slots.length - 1
    for (let slot = hashOf(bytes, from, until) & mask, step = 0; step < maxSteps; step++) {
      const entry = slots[slot] ?? 0
      if (entry === 0 || holds(entry - 1, bytes, from, until)) return slot
      slot = (slot + 1) & mask
    }
    return -1
  }

  const grow = (): void => {
    const entries = numbers.length * 2
    const moreKeys = new Uint8Array(stride * entries)
    moreKeys.set(keys)
    keys = moreKeys
    const moreNumbers = new Float64Array(entries)
    moreNumbers.set(numbers)
    numbers = moreNumbers
    slots = new Int32Array(2 * entries)
    for (let entry = 0; entry < used; entry++) {
      const from = entry * stride + 1
      const until = from + (keys[from - 1] ?? 0)
      const slot = slotOf(keys, from, until)
      if (slot === -1) others.set(keyOf(keys.subarray(from, until)), numbers[entry] ?? 0)
      else slots[slot] = entry + 1
    }
  }

  return {
    get: (bytes, from = 0, until = bytes.length) => {
      const slot = until - from > maxKeyBytes ? -1 : slotOf(bytes, from, until)
      const entry = slot === -1 ? 0 : (slots[slot] ?? 0)
      if (entry > 0) return numbers[entry - 1] ?? 0
      return others.size === 0 ? 0 : (others.get(keyOf(bytes.subarray(from, until))) ?? 0)
    },
    add: (key, number) => {
      if (used === numbers.length) grow()
      const slot = key.length > maxKeyBytes ? -1 : slotOf(key, 0, key.length)
      if (slot === -1) {
        others.set(keyOf(key), number)
        return
      }
      keys[used * stride] = key.length
      keys.set(key, used * stride + 1)
      numbers[used] = number
      slots[slot] = ++used
    },
    change: (key, number) => {
      const slot = key.length > maxKeyBytes ? -1 : slotOf(key, 0, key.length)
      const entry = slot === -1 ? 0 : (slots[slot] ?? 0)
      if (entry > 0) numbers[entry - 1] = number
      else others.set(keyOf(key), number)
    },
    size: () => used + others.size,
    clear: () => {
      slots.fill(0)
      used = 0
      others.clear()
    },
  }
}

function hashOf(bytes: Uint8Array, from: number, until: number): number {
  let hash = until - from
  let at = from
  for (; at + 4 <= until; at += 4) {
    const word =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    hash = Math.imul(hash ^ word, 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  for (; at < until; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e37_79b1)
  return hash ^ (hash >>> 13)
}
