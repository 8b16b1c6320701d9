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
  /** The number of `key`; 0 when it has none. */
  readonly get: (key: Uint8Array) => number
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

  const holds = (entry: number, key: Uint8Array): boolean => {
    let at = entry * stride
    if (keys[at++] !== key.length) return false
    for (let from = 0; from < key.length; from++) if (keys[at++] !== key[from]) return false
    return true
  }

  /** The slot that has `key` or may take it; -1 when there is none near. */
  const slotOf = (key: Uint8Array): number => {
    const mask = slots.length - 1
    for (let slot = hashOf(key) & mask, step = 0; step < maxSteps; step++) {
      const entry = slots[slot] ?? 0
      if (entry === 0 || holds(entry - 1, key)) return slot
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
      const from = entry * stride
      const key = keys.subarray(from + 1, from + 1 + (keys[from] ?? 0))
      const slot = slotOf(key)
      if (slot === -1) others.set(keyOf(key), numbers[entry] ?? 0)
      else slots[slot] = entry + 1
    }
  }

  return {
    get: (key) => {
      const slot = key.length > maxKeyBytes ? -1 : slotOf(key)
      const entry = slot === -1 ? 0 : (slots[slot] ?? 0)
      if (entry > 0) return numbers[entry - 1] ?? 0
      return others.size === 0 ? 0 : (others.get(keyOf(key)) ?? 0)
    },
    add: (key, number) => {
      if (used === numbers.length) grow()
      const slot = key.length > maxKeyBytes ? -1 : slotOf(key)
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
      const slot = key.length > maxKeyBytes ? -1 : slotOf(key)
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

function hashOf(key: Uint8Array): number {
  let hash = key.length
  let at = 0
  for (; at + 4 <= key.length; at += 4) {
    const word =
      (key[at] ?? 0) |
      ((key[at + 1] ?? 0) << 8) |
      ((key[at + 2] ?? 0) << 16) |
      ((key[at + 3] ?? 0) << 24)
    hash = Math.imul(hash ^ word, 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  for (; at < key.length; at++) hash = Math.imul(hash ^ (key[at] ?? 0), 0x9e37_79b1)
  return hash ^ (hash >>> 13)
}
