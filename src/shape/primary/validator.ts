/** Validators of all kinds, delegators and rewards. */

import { Type, type Schema, type Static } from '../type.ts'
import { Asset, AssetAmount, BlsCredentials, PricedAsset } from './asset.ts'

const amount = (description: string): Schema<string> =>
  Type.String({ description: `${description}, nAVAX`, pattern: '^[0-9]+$', 'x-decimals': 9 })
const hash = (description: string): Schema<string> =>
  Type.String({ description: `${description}, cb58` })
const seconds = (description: string): Schema<number> =>
  Type.Integer({ description: `${description}, Unix seconds` })
const sharePercent = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'share of the rewards that is restaked at the end of the cycle, percent',
})
const delegatorCount = Type.Integer({ description: 'delegations that run within the cycle' })
const amountDelegated = amount('sum of these delegations')

/** Forms of a stake: it renews itself, or ends. */
export const StakingType = Type.Enum(['fixed', 'autoRenewed'], {
  description: '`autoRenewed`: the stake goes on for another period at the end of each',
})
/** Decoded {@link StakingType}. */
export type StakingType = Static<typeof StakingType>

const states = ['renewing', 'exiting', 'exited', 'aborted'] as const
const state = Type.Enum([...states], {
  description:
    '`exiting`: this cycle is the last; `exited`: it ended as requested; `aborted`: it ended for want of uptime',
})

/** State of an auto-renewed validator. Every key is there; the two that may be are `null`. */
export const AutoRenewDetails = Type.Object(
  {
    state,
    nextPeriodSeconds: Type.Integer({ description: 'length of the next cycle; 0: there is none' }),
    autoCompoundSharePercent: sharePercent,
    compoundedWeight: amount('first stake and all rewards restaked since'),
    accruedValidationRewards: amount('rewards of validating that were restaked'),
    accruedDelegateeRewards: amount('fees of delegators that were restaked'),
    validationRewardAddresses: Type.Array(Type.String(), { description: 'bech32' }),
    delegationRewardAddresses: Type.Array(Type.String(), { description: 'bech32' }),
    exitReason: Type.Union([Type.Enum(['graceful', 'uptime_not_met']), Type.Null()], {
      description: '`null` while it runs',
    }),
    endedAtTimestamp: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Unix seconds; `null` while it runs',
    }),
  },
  { $id: 'AutoRenewDetails', additionalProperties: false },
)
/** Decoded {@link AutoRenewDetails}. */
export type AutoRenewDetails = Static<typeof AutoRenewDetails>

const ofEveryCycle = {
  cycleIndex: Type.Integer({ minimum: 1, description: 'counted from 1 for each position' }),
  stakingTxHash: hash('the transaction that began the position'),
  startTimestamp: seconds('start of the cycle'),
  endTimestamp: seconds('end of the cycle'),
  weightAtCycleStart: amount('stake of the whole cycle'),
  autoCompoundSharePercent: sharePercent,
  delegatorCount,
  amountDelegated,
} as const

/** A cycle that is over. Its gross earnings are the withdrawn and the compounded amounts. */
export const AutoRenewedCycle = Type.Object(
  {
    ...ofEveryCycle,
    rewardTxHash: hash('the transaction that settled it'),
    grossValidationReward: amount('earned by validating; 0 when aborted'),
    withdrawnValidationReward: amount('of that, paid out'),
    compoundedValidationReward: amount('of that, restaked'),
    grossDelegateeReward: amount('fees of delegators'),
    withdrawnDelegateeReward: amount('of these, paid out'),
    compoundedDelegateeReward: amount('of these, restaked'),
    outcome: Type.Enum(['renewed', 'exited', 'aborted']),
  },
  { $id: 'AutoRenewedCycle', additionalProperties: false },
)
/** Decoded {@link AutoRenewedCycle}. */
export type AutoRenewedCycle = Static<typeof AutoRenewedCycle>

/** The cycle that runs. */
export const CurrentAutoRenewedCycle = Type.Object(
  {
    ...ofEveryCycle,
    projectedValidationReward: amount('reward of the cycle if the validator stays up'),
    accruedDelegateeReward: amount('fees of delegators so far'),
    state,
  },
  { $id: 'CurrentAutoRenewedCycle', additionalProperties: false },
)
/** Decoded {@link CurrentAutoRenewedCycle}. */
export type CurrentAutoRenewedCycle = Static<typeof CurrentAutoRenewedCycle>

/** States of a validation. */
export const validationStatuses = ['completed', 'active', 'pending', 'removed'] as const

const validatorSeconds = Type.Integer({ description: 'Unix seconds' })
/** Amounts of the field `asset` of their item, which `places` leads to. */
const stakeAmount = (
  description = 'smallest unit of `asset`',
  places = 'asset.denomination',
): Schema<string> => Type.String({ description, pattern: '^[0-9]+$', 'x-decimals': places })
const validatorAmount = stakeAmount()
const validatorReward = stakeAmount('smallest unit of `asset`', '../asset.denomination')
const validatorHash = Type.String({ description: 'cb58' })

/** Rewards of a validation, earned or expected. */
export const ValidationRewards = Type.Object(
  {
    validationRewardAmount: validatorReward,
    delegationRewardAmount: validatorReward,
    rewardAddresses: Type.Optional(Type.Array(Type.String())),
    rewardTxHash: Type.Optional(validatorHash),
  },
  { $id: 'ValidationRewards', additionalProperties: false },
)
/** Decoded {@link ValidationRewards}. */
export type ValidationRewards = Static<typeof ValidationRewards>

const percent = Type.Number({ description: 'percent' })

/** One validation of a node. */
export const Validator = Type.Object(
  {
    txHash: validatorHash,
    nodeId: Type.String(),
    subnetId: validatorHash,
    /** Absent where no coins are staked: `amountStaked` is a weight. */
    asset: Type.Optional(Asset),
    amountStaked: validatorAmount,
    delegationFee: Type.Optional(Type.String({ description: 'percent, decimal' })),
    startTimestamp: validatorSeconds,
    endTimestamp: validatorSeconds,
    blsCredentials: Type.Optional(BlsCredentials),
    validationStatus: Type.Enum([...validationStatuses]),
    stakingType: StakingType,
    autoRenew: Type.Optional(AutoRenewDetails),
    delegatorCount: Type.Optional(Type.Integer()),
    amountDelegated: Type.Optional(validatorAmount),
    rewards: Type.Optional(ValidationRewards),
    // Active only.
    stakePercentage: Type.Optional(percent),
    uptimePerformance: Type.Optional(percent),
    avalancheGoVersion: Type.Optional(Type.String()),
    delegationCapacity: Type.Optional(validatorAmount),
    potentialRewards: Type.Optional(ValidationRewards),
    validatorHealth: Type.Optional(
      Type.Object(
        {
          reachabilityPercent: Type.Optional(percent),
          benchedPChainRequestsPercent: percent,
          benchedXChainRequestsPercent: percent,
          benchedCChainRequestsPercent: percent,
        },
        { additionalProperties: false },
      ),
    ),
    geolocation: Type.Optional(Type.Null()),
    // Removed only.
    removeTxHash: Type.Optional(validatorHash),
    removeTimestamp: Type.Optional(validatorSeconds),
  },
  { $id: 'Validator', additionalProperties: false },
)
/** Decoded {@link Validator}. */
export type Validator = Static<typeof Validator>

const l1ValidatorHash = Type.String({ description: 'cb58' })
const owner = Type.Object(
  { addresses: Type.Array(Type.String()), threshold: Type.Integer() },
  { additionalProperties: false },
)

/** One L1 validation. */
export const L1Validator = Type.Object(
  {
    validationId: l1ValidatorHash,
    validationIdHex: Type.String({ description: '0x hex' }),
    nodeId: Type.String(),
    subnetId: l1ValidatorHash,
    weight: Type.Integer(),
    remainingBalance: Type.Integer({ description: 'nAVAX', 'x-decimals': 9 }),
    creationTimestamp: Type.Integer({ description: 'Unix seconds' }),
    blsCredentials: Type.Object({ publicKey: Type.String({ description: '48 bytes, 0x hex' }) }),
    remainingBalanceOwner: owner,
    deactivationOwner: owner,
  },
  { $id: 'L1Validator', additionalProperties: false },
)
/** Decoded {@link L1Validator}. */
export type L1Validator = Static<typeof L1Validator>

/** States of a delegation. */
export const delegationStatuses = ['completed', 'active', 'pending'] as const

/** One delegation; estimated rewards while it runs, rewards after it. */
export const Delegator = Type.Object(
  {
    txHash: Type.String({ description: 'the delegating transaction, cb58' }),
    nodeId: Type.String(),
    rewardAddresses: Type.Array(Type.String(), { description: 'owners of the reward, bech32' }),
    asset: Type.Optional(Asset),
    amountDelegated: stakeAmount(),
    delegationFee: Type.String({ description: 'the validator’s fee, percent, decimal' }),
    startTimestamp: Type.Integer({ description: 'Unix seconds' }),
    endTimestamp: Type.Integer({ description: 'Unix seconds' }),
    delegationStatus: Type.Enum([...delegationStatuses]),
    estimatedGrossReward: Type.Optional(stakeAmount('expected reward, before the fee')),
    estimatedNetReward: Type.Optional(stakeAmount('expected reward, after the fee')),
    grossReward: Type.Optional(stakeAmount('reward with the fee; 0 when none was paid')),
    netReward: Type.Optional(stakeAmount('reward paid to the delegator')),
  },
  { $id: 'Delegator', additionalProperties: false },
)

/** Decoded {@link Delegator}. */
export type Delegator = Static<typeof Delegator>

const rewardSeconds = Type.Integer({ description: 'Unix seconds' })
const rewardHash = Type.String({ description: 'cb58' })

const stakeFields = {
  addresses: Type.Array(Type.String()),
  txHash: Type.String({ description: 'the staking transaction, cb58' }),
  nodeId: Type.String(),
  stakingType: StakingType,
  startTimestamp: rewardSeconds,
  endTimestamp: rewardSeconds,
  rewardType: Type.Enum(['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE']),
} as const

/** A reward paid. */
export const HistoricalReward = Type.Object(
  {
    ...stakeFields,
    amountStaked: stakeAmount('smallest unit of the asset of `reward`', 'reward.denomination'),
    utxoId: rewardHash,
    outputIndex: Type.Integer(),
    reward: PricedAsset,
    rewardTxHash: rewardHash,
  },
  { $id: 'HistoricalReward', additionalProperties: false },
)
/** Decoded {@link HistoricalReward}. */
export type HistoricalReward = Static<typeof HistoricalReward>

/** A reward to come, if the validator stays up. */
export const PendingReward = Type.Object(
  {
    ...stakeFields,
    amountStaked: stakeAmount(
      'smallest unit of the asset of `estimatedReward`',
      'estimatedReward.denomination',
    ),
    progress: Type.Number({ description: 'percent of the time that is over' }),
    estimatedReward: AssetAmount,
  },
  { $id: 'PendingReward', additionalProperties: false },
)
/** Decoded {@link PendingReward}. */
export type PendingReward = Static<typeof PendingReward>
