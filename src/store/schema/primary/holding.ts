/**
 * Lists of UTXOs of addresses: which list an entry stands in, and what it says of its UTXO.
 *
 * Both are one integer each, so that an entry is short and the common kind one comparison away.
 */

import { outputTypes } from '../../../core/type-ids.ts'
import { chainNumbers, type PrimaryChain, utxoKinds } from './position.ts'

const placesPerAddress = 4
const kindsPerAsset = 128
// 1,024 owners at most; nobody queries as many addresses.
const maxNeeded = 2_047
const traitsPerAsset = kindsPerAsset * (maxNeeded + 1)

/** Number of the list of an address on a chain. */
export function listOf(addressId: number, chain: PrimaryChain): number {
  return listOfNumber(addressId, chainNumbers[chain])
}

/** As {@link listOf}, by the chain's number. */
export function listOfNumber(addressId: number, chain: number): number {
  return addressId * placesPerAddress + chain
}

/** Traits of a UTXO: number of its asset, bits of `utxoKinds`, signatures needed. */
export type Traits = { readonly asset: number; readonly kind: number; readonly needed: number }

/** Traits as an integer, by asset first. */
export function packTraits({ asset, kind, needed }: Traits): number {
  return asset * traitsPerAsset + kind * (maxNeeded + 1) + Math.min(needed, maxNeeded)
}

/** Signatures needed of packed traits. */
export function neededOf(traits: number): number {
  return traits % (maxNeeded + 1)
}

/** Number of the asset of packed traits. */
export function assetOf(traits: number): number {
  return Math.floor(traits / traitsPerAsset)
}

/** Packed traits of one asset, `from` inclusive to `until` exclusive. */
export function traitsOfAsset(asset: number): { readonly from: number; readonly until: number } {
  return { from: asset * traitsPerAsset, until: (asset + 1) * traitsPerAsset }
}

/** Packed traits of all assets. */
export const anyTraits = { from: 0, until: Number.MAX_SAFE_INTEGER } as const

/** Words of statements over a column `traits`. */
export const traitsSql = {
  /** Nothing but an amount of one owner: a balance is their sum. */
  isPlain: `traits % ${traitsPerAsset} = 1`,
  /** Signatures needed. */
  needed: `traits % ${maxNeeded + 1}`,
} as const

/** Largest number an `amount` column holds. */
export const maxAmount = 2n ** 63n - 1n

/** Bits of `utxoKinds`. `crossing`: made on one chain to be consumed on another. */
export function kindOf(
  row: {
    readonly outputType: number
    readonly amount: bigint
    readonly owner: {
      readonly locktime: bigint
      readonly threshold: number
      readonly addresses: readonly unknown[]
    }
    readonly stakeableLocktime: bigint
  },
  is: { readonly staked: boolean; readonly crossing: boolean },
): number {
  const { locked, stakeableLocked, staked, shared, crossing, withoutAmount, wide } = utxoKinds
  const { owner } = row
  return (
    (owner.locktime > 0n ? locked : 0) |
    (row.stakeableLocktime > 0n ? stakeableLocked : 0) |
    (is.staked ? staked : 0) |
    (owner.addresses.length !== 1 || owner.threshold !== 1 ? shared : 0) |
    (is.crossing ? crossing : 0) |
    (row.outputType === outputTypes.secpTransfer ? 0 : withoutAmount) |
    (row.amount > maxAmount ? wide : 0)
  )
}
