/**
 * Maps that forget what was put first. `createGenerations` is for maps so large that keeping this
 * order would cost.
 */

/** Puts an entry into `map` as its newest; of more than `most` entries the oldest go. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  dropOldest(map, most)
}

/** Takes the oldest entries away until `most` are left. */
export function dropOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
