/** Sums by asset and sets of addresses of one transaction. */

import { equalBytes } from '../../core/bytes.ts'
import { mapKey } from './draft.ts'
import type { AssetAmount } from './rows.ts'

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

/** Addresses without repetition, in order of first sight. */
export type AddressSet = Map<string, Uint8Array>

/** Adds addresses to a set. */
export function addAddresses(set: AddressSet, addresses: readonly Uint8Array[]): void {
  for (const address of addresses) set.set(mapKey(address), address)
}
