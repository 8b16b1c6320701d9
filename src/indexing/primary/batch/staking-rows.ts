/**
 * Rows of staking on the P-Chain: periods, rewards, supplies. The conventions are those of
 * `rows.ts`.
 */

import type { CycleOutcome } from '../../../store/schema/primary/position.ts'
import type { Owner, RewardKind } from './ledger-rows.ts'

/** `pending` waits for its start; `removed` left by a removal before its end. */
export type StakerStatus = 'pending' | 'active' | 'completed' | 'removed'

/** Continuous staking (types 40 to 42). Shares are millionths, `nextPeriod` seconds, 0 = stop. */
export type AutoRenewal = {
  readonly authority: Owner
  readonly autoCompoundRewardShares: number
  readonly nextPeriod: number
  /** Rewards restaked so far, part of `weight`; they have no UTXO until the stake ends. */
  readonly accruedRewards: bigint
  readonly accruedDelegateeRewards: bigint
  /** Cycles that are over; absent: none. */
  readonly settledCycles: number | undefined
}

/**
 * One settled cycle of an auto-renewed validator. Key: the place of its staking transaction, and
 * `number` from 1 on.
 */
export type CycleRow = {
  readonly createdHeight: number
  readonly createdPosition: number
  readonly number: number
  /** Height from which sets of validators show what the settlement decided. */
  readonly setHeight: number
  readonly rewardTxId: Uint8Array
  readonly startTime: number
  readonly endTime: number
  /** During the cycle: what earlier ones restaked is in it. */
  readonly weight: bigint
  /** Reward for validating if it was committed, and fees of delegators of this cycle. */
  readonly potentialReward: bigint
  readonly delegateeReward: bigint
  readonly restakedReward: bigint
  readonly restakedDelegateeReward: bigint
  /** Millionths, as they were at the settlement. */
  readonly autoCompoundRewardShares: number
  readonly outcome: CycleOutcome
  /** Delegations since the first cycle began. */
  readonly totalDelegatorCount: number
  readonly totalDelegatedWeight: bigint
}

/**
 * One validating or delegating period. Key: `txId`, the staking transaction. Written anew whenever
 * it changes.
 */
export type StakerRow = {
  readonly txId: Uint8Array
  readonly typeId: number
  readonly role: 'validator' | 'delegator'
  readonly permissioned: boolean
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly weight: bigint
  /** Since Durango the block's time of acceptance, before what the transaction says. */
  readonly startTime: number
  readonly endTime: number
  /** Exact once active; before activation what today's supply would give. */
  readonly potentialReward: bigint
  /** Validators that take delegations; millionths. */
  readonly delegationShares: number | undefined
  readonly validationOwner: Owner | undefined
  readonly delegationOwner: Owner | undefined
  readonly publicKey: Uint8Array | undefined
  readonly proofOfPossession: Uint8Array | undefined
  /** Index of the first stake output, and how many there are: their UTXOs return at the end. */
  readonly firstStakeIndex: number
  readonly stakeCount: number
  readonly stakeAssetId: Uint8Array | undefined
  /** Delegators: the validating period they joined. */
  readonly validatorTxId: Uint8Array | undefined
  readonly status: StakerStatus
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
  /** Height from which the validator set shows it (a proposal's changes: its option's height). */
  readonly activatedHeight: number | undefined
  readonly endedHeight: number | undefined
  readonly endedTime: number | undefined
  /** Reward transaction (20, 42), or the removal (23). */
  readonly endTxId: Uint8Array | undefined
  /** True when the reward was paid; absent before the end. */
  readonly rewarded: boolean | undefined
  /** Validators: fees earned from delegators and not paid out yet. */
  readonly delegateeReward: bigint
  /** Validators: delegators now (after the end: none), and over the whole period. */
  readonly delegatorCount: number
  readonly delegatedWeight: bigint
  readonly totalDelegatorCount: number
  readonly totalDelegatedWeight: bigint
  readonly autoRenewal: AutoRenewal | undefined
}

/** Active stakers of a subnet, and what they weigh in its unit. */
export type StakeTotals = {
  readonly validatorCount: number
  readonly validatorWeight: bigint
  readonly delegatorCount: number
  readonly delegatorWeight: bigint
}

/** Totals after the last change of a day. Key: `subnetId` and `day`, its first second. */
export type StakeDayRow = StakeTotals & { readonly subnetId: Uint8Array; readonly day: number }

/** One reward paid. Key: `utxo`, the number of its UTXO. */
export type RewardRow = {
  readonly utxo: number
  /** The transaction in the UTXO's name. */
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly kind: RewardKind
  readonly amount: bigint
  /** Number of the asset. */
  readonly asset: number
  readonly addresses: readonly Uint8Array[]
  readonly stakingTxId: Uint8Array
  readonly rewardTxId: Uint8Array
  readonly nodeId: Uint8Array
  readonly subnetId: Uint8Array
  readonly amountStaked: bigint
  readonly startTime: number
  readonly endTime: number
  readonly height: number
  readonly position: number
  readonly time: number
}

/** Supply of a subnet's staking asset; the primary network is the all-zero id. Key: `subnetId`. */
export type SupplyRow = { readonly subnetId: Uint8Array; readonly supply: bigint }
