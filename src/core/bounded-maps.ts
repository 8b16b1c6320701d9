/** Maps that forget: what was put first, what is old, what weighs too much. */

import type { Clock } from './world.ts'

/** Puts an entry into `map` as its newest; of more than `most` entries the oldest go. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  dropOldest(map, most)
}

/** Removes the oldest entries until `most` are left. */
export function dropOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}

// A map that forgets.
//
// Entries lie in two generations of at most `size`: when the younger is full, the older is dropped.
// So the last `size` to 2 × `size` entries are kept, at the price of two look-ups and without a
// list of uses.

/** Entries by key, the oldest of which are forgotten. */
export type Generations<K, V> = {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => void
}

/** An empty map of at most twice `size` entries. */
export function createGenerations<K, V>(size: number): Generations<K, V> {
  let younger = new Map<K, V>()
  let older = new Map<K, V>()

  const set = (key: K, value: V): void => {
    if (younger.size >= size) {
      older = younger
      younger = new Map()
    }
    younger.set(key, value)
  }
  const get = (key: K): V | undefined => younger.get(key) ?? older.get(key)
  return { get, set }
}

/**
 * Reads like `read`, but once for all callers within `forMs` milliseconds: they share the first
 * reading. A reading that failed is not kept.
 */
export function recently<T>(
  read: () => Promise<T>,
  { clock, forMs }: { readonly clock: Clock; readonly forMs: number },
): () => Promise<T> {
  let last: { readonly startedMs: number; readonly value: Promise<T> } | undefined
  return () => {
    const startedMs = clock.monotonic()
    if (last !== undefined && startedMs - last.startedMs < forMs) return last.value
    const value = read()
    const reading = { startedMs, value }
    last = reading
    value.catch(() => {
      if (last === reading) last = undefined
    })
    return value
  }
}

/** Entries that weigh at most so much together; the least used goes first. */
export class WeighedMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #most: number
  readonly #largest: number
  readonly #weigh: (key: K, value: V) => number
  #weight = 0

  /**
   * An empty map of at most `most`, by `weigh`, which gives the same for an entry each time. An
   * entry above `largest` is not kept: it would push too many others out.
   */
  constructor(
    { most, largest = most }: { readonly most: number; readonly largest?: number },
    weigh: (key: K, value: V) => number,
  ) {
    this.#most = most
    this.#largest = largest
    this.#weigh = weigh
  }

  /** Of all entries together. */
  get weight(): number {
    return this.#weight
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // Last in the map is used last.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    const weight = this.#weigh(key, value)
    if (weight > this.#largest) return
    this.#drop(key)
    this.#entries.set(key, value)
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most) return
      this.#drop(oldest)
    }
  }

  #drop(key: K): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#weigh(key, value)
  }
}
