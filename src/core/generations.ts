/**
 * A map that forgets.
 *
 * Entries lie in two generations of so many each: when the younger is full, the older is dropped.
 * So between one and two times `size` entries are kept, those set last, at the price of two
 * look-ups and no list of uses.
 */

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
