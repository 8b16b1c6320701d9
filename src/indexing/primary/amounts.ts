/** Sums by asset and sets of addresses of one transaction. */

import { equalBytes, keyOf } from '../../core/bytes.ts'
import type { AssetAmount } from './ledger-rows.ts'

/** Sums by asset, in order of first sight. Nearly always one asset. */
export type Sums = { readonly assetId: Uint8Array; amount: bigint }[]

/** Adds `amount` of an asset. */
export function addAmount(sums: Sums, assetId: Uint8Array, amount: bigint): void {
  for (const sum of sums) {
    if (sum.assetId === assetId || equalBytes(sum.assetId, assetId)) {
      sum.amount += amount
      return
    }
  }
  sums.push({ assetId, amount })
}

/** What is there of an asset. */
export function amountOf(sums: Sums, assetId: Uint8Array): bigint {
  for (const sum of sums) if (equalBytes(sum.assetId, assetId)) return sum.amount
  return 0n
}

/** `from` minus `taken`, by asset, where more than nothing is left. */
export function remainder(from: Sums, taken: Sums): AssetAmount[] {
  const left: AssetAmount[] = []
  for (const { assetId, amount } of from) {
    const rest = amount - amountOf(taken, assetId)
    if (rest > 0n) left.push({ assetId, amount: rest })
  }
  return left
}

/** The first asset of which more is taken than there is. */
export function overdrawn(from: Sums, taken: Sums): AssetAmount | undefined {
  return taken.find(({ assetId, amount }) => amount > amountOf(from, assetId))
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
