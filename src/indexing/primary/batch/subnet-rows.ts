/**
 * Rows of subnets, their chains, and the validations of those that became L1s. The conventions are
 * those of `rows.ts`.
 */

import type { Owner } from './ledger-rows.ts'

/** Conversion of a subnet to an L1. */
export type Conversion = {
  readonly txId: Uint8Array
  readonly height: number
  readonly conversionId: Uint8Array
  readonly managerChainId: Uint8Array
  readonly managerAddress: Uint8Array
}

/** One subnet. Key: `subnetId`. Written anew whenever it changes. */
export type SubnetRow = {
  readonly subnetId: Uint8Array
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
  /** The newest. */
  readonly owner: Owner
  readonly transformation: Transformation | undefined
  readonly conversion: Conversion | undefined
}

/** Rules of an elastic subnet. Rates and shares are millionths, durations seconds. */
export type Transformation = {
  readonly txId: Uint8Array
  readonly assetId: Uint8Array
  readonly maximumSupply: bigint
  readonly minConsumptionRate: bigint
  readonly maxConsumptionRate: bigint
  readonly maxValidatorStake: bigint
  readonly maxValidatorWeightFactor: number
  readonly uptimeRequirement: number
}

/** A subnet's owner from this place on. Key: (subnetId, height, position). */
export type SubnetOwnerRow = {
  readonly subnetId: Uint8Array
  readonly height: number
  readonly position: number
  readonly time: number
  readonly txId: Uint8Array
  readonly owner: Owner
}

/** One blockchain. Key: `blockchainId`. Blockchains of genesis have height 0. */
export type BlockchainRow = {
  readonly blockchainId: Uint8Array
  readonly subnetId: Uint8Array
  readonly name: string
  readonly vmId: Uint8Array
  readonly fxIds: readonly Uint8Array[]
  readonly genesis: Uint8Array
  /** From an EVM genesis (`config.chainId`), when there is one. */
  readonly evmChainId: number | undefined
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
}

/** Owner of an L1 validator's balance, or who may disable it. */
export type L1Owner = { readonly threshold: number; readonly addresses: readonly Uint8Array[] }

/** One L1 validation. Key: `validationId`. Written anew whenever it changes. */
export type L1ValidatorRow = {
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  /** 20 bytes. */
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
  readonly remainingBalanceOwner: L1Owner
  readonly deactivationOwner: L1Owner
  readonly startTime: number
  /** 0 = removed. */
  readonly weight: bigint
  readonly minNonce: bigint
  /** 0 = inactive. Balance = this minus the accrued fees (`BlockRow.l1AccruedFees`). */
  readonly endAccumulatedFee: bigint
  readonly createdTxId: Uint8Array
  readonly createdHeight: number
  readonly createdPosition: number
  /** When it was removed (weight 0). */
  readonly removedHeight: number | undefined
  readonly removedTime: number | undefined
}

/** Position of what happens after the transactions of a block, however many these are. */
export const afterTransactions = Number.POSITIVE_INFINITY

/**
 * Events of an L1 validation, one row each. Key: (validationId, height, position).
 * `txId` is absent when its balance ran out: at `position` -1 as time moved, before the block's
 * transactions, at {@link afterTransactions} after them.
 */
export type L1ChangeRow = {
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
  readonly height: number
  readonly position: number
  /** Height from which the validator set shows it (a proposal's changes: its option's height). */
  readonly setHeight: number
  readonly time: number
  readonly txId: Uint8Array | undefined
  readonly weight: bigint
  readonly remainingBalance: bigint
  /** nAVAX added, or negative when refunded. */
  readonly balanceChange: bigint
  readonly active: boolean
}
