/**
 * A map that forgets what was not asked for lately.
 *
 * Entries lie in two generations of so many each. When the younger is full, the older is dropped;
 * an entry found in the older moves to the younger. So between one and two times `size` entries
 * are kept, at the price of two look-ups and no list of uses.
 */

/** Entries by key, the least used of which are forgotten. */
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
  const get = (key: K): V | undefined => {
    const found = younger.get(key)
    if (found !== undefined) return found
    const before = older.get(key)
    if (before !== undefined) set(key, before)
    return before
  }
  return { get, set }
}
