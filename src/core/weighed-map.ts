/** A map with a limit of weight, for entries whose sizes differ: bytes, mostly. */

/** Entries that weigh at most so much together; the least used goes first. */
export class WeighedMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #most: number
  readonly #largest: number
  readonly #weigh: (key: K, value: V) => number
  #weight = 0

  /**
   * An empty map of at most `most`, by `weigh`, which gives the same for an entry each time. An entry
   * above `largest` is not kept: it would push too many others out.
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
