/**
 * Rows of what blocks hold, as far as they are not columns: assets, and what becomes of
 * UTXOs elsewhere. The conventions are those of `rows.ts`.
 */

import type { OutputPlace } from '../../../codec/primary/ids.ts'

/** The three chains. Assets move between them through shared memory. */
export type ChainName = 'P' | 'X' | 'C'

/** Owners that may spend or decide. `locktime` 0 = at once. */
export type Owner = {
  readonly locktime: bigint
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

/** The transaction that spent a UTXO, and where. */
export type Consumption = {
  readonly chain: ChainName
  readonly height: number
  readonly position: number
  readonly time: number
  readonly txId: Uint8Array
}

/** The service that a reward UTXO pays for. */
export type RewardKind = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE'

/** Values that are kept of an output beside its addresses. */
export type KeptOutput = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly number: number
  readonly createdAt: number
  readonly amount: bigint
  /** As `packTraits` says. */
  readonly traits: number
  /** Bits of {@link outputFlags}. */
  readonly flags: number
}

/** Later events of an output. */
export const outputFlags = { staked: 1, returned: 2, spent: 4 } as const

/** Facts about a UTXO of an earlier batch that replay needs. */
export type KnownUtxo = KeptOutput & {
  readonly addresses: readonly Uint8Array[]
  readonly createdOn: ChainName
  readonly consumableOn: ChainName
}

/** A staked UTXO came back at `time`; its number where that is known. */
export type StakeReturnRow = OutputPlace & {
  readonly number: number | undefined
  readonly time: number
}

/**
 * An import whose export is not indexed yet. Key: `txId` and `outputIndex`. Kept until the export
 * arrives; that batch then holds the UTXO as spent and an {@link ImportCompletionRow}.
 */
export type EarlyImportRow = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly amount: bigint
  readonly sourceChain: ChainName
  readonly consumed: Consumption
}

/**
 * The export of an {@link EarlyImportRow} arrived. Its owners are to be added to the addresses of
 * the transaction that spent it.
 */
export type ImportCompletionRow = {
  readonly utxo: OutputPlace & {
    readonly number: number
    readonly addresses: readonly Uint8Array[]
  }
  readonly consumed: Consumption
}

/** An X-Chain transaction that touches an asset, by the asset's number. `type`: wire type id. */
export type AssetTransaction = {
  readonly asset: number
  readonly pos: number
  readonly type: number
}

/** One asset of the X-Chain. Key: `assetId`. */
export type AssetRow = {
  readonly assetId: Uint8Array
  readonly number: number
  readonly name: string
  readonly symbol: string
  readonly denomination: number
  /** By its first initial state. */
  readonly kind: 'secp256k1' | 'nft' | 'property'
  /** True when more can be minted. */
  readonly variableCap: boolean
  readonly createdHeight: number
  readonly createdTime: number
}
