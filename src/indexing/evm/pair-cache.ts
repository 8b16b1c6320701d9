/**
 * Newest balances of (address, token) pairs in use. Bounded: two generations, the older dropped
 * when the younger is full. A pair that is not in is looked up in the store.
 */

// Both numbers of a pair make one exact double while they fit 26 and 27 bits.
const maxTokenId = 2 ** 26
const maxAddressId = 2 ** 27

// About 100 bytes an entry with its bigint: 25 MiB in two generations.
const defaultCapacity = 2 ** 17

/** Values by pair. After a failed transaction it must be made anew. */
export class PairCache {
  #young = new Map<number, bigint>()
  #old = new Map<number, bigint>()
  readonly #capacity: number

  constructor(capacity = defaultCapacity) {
    this.#capacity = capacity
  }

  /** Value last set, if it is still in. */
  get(addressId: number, tokenId: number): bigint | undefined {
    if (addressId >= maxAddressId || tokenId >= maxTokenId) return undefined
    const key = addressId * maxTokenId + tokenId
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(addressId: number, tokenId: number, value: bigint): void {
    if (addressId >= maxAddressId || tokenId >= maxTokenId) return
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(addressId * maxTokenId + tokenId, value)
  }
}
