/** Sums by asset and sets of addresses of one transaction. */

import { equalBytes, keyOf } from '../../../core/bytes.ts'

/** Sums by number of the asset, in order of first sight. Nearly always one asset. */
export type Sums = { readonly asset: number; amount: bigint }[]

/** No sums; those that come make a list of their own. */
export const noSums: Sums = []

/** Adds `amount` of an asset to the caller's sums, and gives them. */
export function withAmount(sums: Sums, asset: number, amount: bigint): Sums {
  // A list has room for its first values alone, one that is pushed to for 17.
  if (sums.length === 0) return [{ asset, amount }]
  for (const sum of sums) {
    if (sum.asset === asset) {
      sum.amount += amount
      return sums
    }
  }
  sums.push({ asset, amount })
  return sums
}

/** Amount of an asset. */
export function amountOf(sums: Sums, asset: number): bigint {
  for (const sum of sums) if (sum.asset === asset) return sum.amount
  return 0n
}

/** `from` minus `taken`, by asset, where more than nothing is left. */
export function remainderOf(from: Sums, taken: Sums): Sums {
  let left = noSums
  for (const { asset, amount } of from) {
    const rest = amount - amountOf(taken, asset)
    if (rest > 0n) left = withAmount(left, asset, rest)
  }
  return left
}

/** The first asset of which too much is taken; `undefined` when there is enough of all. */
export function overdrawn(from: Sums, taken: Sums): bigint | undefined {
  for (const { asset, amount } of taken) if (amount > amountOf(from, asset)) return amount
  return undefined
}

/** Addresses without repetition, in order of first sight. `keys` only when there are many. */
export type AddressSet = { readonly list: Uint8Array[]; keys: Set<string> | undefined }

// Comparing with this many is cheaper than making one key.
const fewAddresses = 12

/** An empty set. */
export function newAddressSet(): AddressSet {
  return { list: [], keys: undefined }
}

/** Adds addresses to a set. */
export function addAddresses(set: AddressSet, addresses: readonly Uint8Array[]): void {
  for (const address of addresses) if (isNew(set, address)) set.list.push(address)
}

function isNew(set: AddressSet, address: Uint8Array): boolean {
  if (set.list.length <= fewAddresses) {
    return !set.list.some((known) => known === address || equalBytes(known, address))
  }
  set.keys ??= new Set(set.list.map(keyOf))
  const { size } = set.keys
  return set.keys.add(keyOf(address)).size > size
}
