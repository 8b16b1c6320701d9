/** Validators of all kinds, delegators and rewards. */

import { Type, type Schema, type Static, Optional } from '../type.ts'
import { Asset, AssetAmount, BlsCredentials, PricedAsset } from './asset.ts'
import { seconds, cb58, nanoAvax } from './scalars.ts'

const sharePercent = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'share of the rewards that is restaked at the end of the cycle, percent',
})
const delegatorCount = Type.Integer('delegations that run within the cycle')
const amountDelegated = nanoAvax('sum of these delegations')

/** Forms of a stake: it renews itself, or ends. */
export const StakingType = Type.Enum(
  ['fixed', 'autoRenewed'],
  '`autoRenewed`: the stake goes on for another period at the end of each',
)
/** Decoded {@link StakingType}. */
export type StakingType = Static<typeof StakingType>

const states = ['renewing', 'exiting', 'exited', 'aborted'] as const
const state = Type.Enum(
  states,
  '`exiting`: this cycle is the last; `exited`: it ended as requested; `aborted`: it ended for want of uptime',
)

/** State of an auto-renewed validator. Every key is there; the two that may be are `null`. */
export const AutoRenewDetails = Type.Component(
  'AutoRenewDetails',
  'State of an auto-renewed validator',
  {
    state,
    nextPeriodSeconds: Type.Integer('length of the next cycle; 0: there is none'),
    autoCompoundSharePercent: sharePercent,
    compoundedWeight: nanoAvax('first stake and all rewards restaked since'),
    accruedValidationRewards: nanoAvax('rewards of validating that were restaked'),
    accruedDelegateeRewards: nanoAvax('fees of delegators that were restaked'),
    validationRewardAddresses: Type.Array(Type.String(), 'bech32'),
    delegationRewardAddresses: Type.Array(Type.String(), 'bech32'),
    exitReason: Type.Union(
      [Type.Enum(['graceful', 'uptime_not_met']), Type.Null()],
      '`null` while it runs',
    ),
    endedAtTimestamp: Type.Union(
      [Type.Integer(), Type.Null()],
      'Unix seconds; `null` while it runs',
      { examples: [null] },
    ),
  },
)
/** Decoded {@link AutoRenewDetails}. */
export type AutoRenewDetails = Static<typeof AutoRenewDetails>

const ofEveryCycle = {
  cycleIndex: Type.Integer({ minimum: 1, description: 'counted from 1 for each position' }),
  stakingTxHash: Type.String('the transaction that began the position, cb58'),
  startTimestamp: Type.Integer('start of the cycle, Unix seconds'),
  endTimestamp: Type.Integer('end of the cycle, Unix seconds'),
  weightAtCycleStart: nanoAvax('stake of the whole cycle'),
  autoCompoundSharePercent: sharePercent,
  delegatorCount,
  amountDelegated,
} as const

/** A cycle that is over. Its gross earnings are the withdrawn and the compounded amounts. */
export const AutoRenewedCycle = Type.Component(
  'AutoRenewedCycle',
  'A cycle that is over; what was earned is what was withdrawn and what was compounded',
  {
    ...ofEveryCycle,
    rewardTxHash: Type.String('the transaction that settled it, cb58'),
    grossValidationReward: nanoAvax('earned by validating; 0 when aborted'),
    withdrawnValidationReward: nanoAvax('of that, paid out'),
    compoundedValidationReward: nanoAvax('of that, restaked'),
    grossDelegateeReward: nanoAvax('fees of delegators'),
    withdrawnDelegateeReward: nanoAvax('of these, paid out'),
    compoundedDelegateeReward: nanoAvax('of these, restaked'),
    outcome: Type.Enum(['renewed', 'exited', 'aborted'], 'How the cycle ended'),
  },
)
/** Decoded {@link AutoRenewedCycle}. */
export type AutoRenewedCycle = Static<typeof AutoRenewedCycle>

/** The cycle that runs. */
export const CurrentAutoRenewedCycle = Type.Component(
  'CurrentAutoRenewedCycle',
  'The cycle that runs',
  {
    ...ofEveryCycle,
    projectedValidationReward: nanoAvax('reward of the cycle if the validator stays up'),
    accruedDelegateeReward: nanoAvax('fees of delegators so far'),
    state,
  },
)
/** Decoded {@link CurrentAutoRenewedCycle}. */
export type CurrentAutoRenewedCycle = Static<typeof CurrentAutoRenewedCycle>

/** States of a validation. */
export const validationStatuses = ['completed', 'active', 'pending', 'removed'] as const

/** Amounts of the field `asset` of their item, which `places` leads to. */
const stakeAmount = (
  description = 'smallest unit of `asset`',
  places = 'asset.denomination',
): Schema<string> =>
  Type.String({
    description,
    pattern: '^[0-9]+$',
    'x-decimals': places,
    examples: ['1000000000'],
  })
const validatorAmount = stakeAmount()
const validatorReward = stakeAmount('smallest unit of `asset`', '../asset.denomination')

/** Rewards of a validation, earned or expected. */
export const ValidationRewards = Type.Component(
  'ValidationRewards',
  'Rewards of a validation, earned or expected',
  {
    validationRewardAmount: validatorReward,
    delegationRewardAmount: validatorReward,
    rewardAddresses: Optional.Array(Type.String(), 'Owners of the reward, bech32'),
    rewardTxHash: Type.Optional(cb58),
  },
)
/** Decoded {@link ValidationRewards}. */
export type ValidationRewards = Static<typeof ValidationRewards>

const percent = Type.Number('percent', { examples: [99.9] })

/** One validation of a node. */
export const Validator = Type.Component('Validator', 'A validation of a node', {
  txHash: cb58,
  nodeId: Type.String('Id of the node'),
  subnetId: cb58,
  /** Absent where no coins are staked: `amountStaked` is a weight. */
  asset: Type.Optional(Asset),
  amountStaked: validatorAmount,
  delegationFee: Optional.String('percent, decimal'),
  startTimestamp: seconds,
  endTimestamp: seconds,
  blsCredentials: Type.Optional(BlsCredentials),
  validationStatus: Type.Enum(validationStatuses, 'State of the validation'),
  stakingType: StakingType,
  autoRenew: Type.Optional(AutoRenewDetails),
  delegatorCount: Optional.Integer('Delegations'),
  amountDelegated: Type.Optional(validatorAmount),
  rewards: Type.Optional(ValidationRewards),
  // Active only.
  stakePercentage: Type.Optional(percent),
  uptimePerformance: Type.Optional(percent),
  avalancheGoVersion: Optional.String('Version of the node as its peers report it', {
    examples: ['avalanchego/1.14.2'],
  }),
  delegationCapacity: Type.Optional(validatorAmount),
  potentialRewards: Type.Optional(ValidationRewards),
  validatorHealth: Optional.Object(
    {
      reachabilityPercent: Type.Optional(percent),
      benchedPChainRequestsPercent: percent,
      benchedXChainRequestsPercent: percent,
      benchedCChainRequestsPercent: percent,
    },
    { additionalProperties: false, description: 'Whether the node was reached of late' },
  ),
  geolocation: Type.Optional(
    Type.Null('Where the node is; always null here', { examples: [null] }),
  ),
  // Removed only.
  removeTxHash: Type.Optional(cb58),
  removeTimestamp: Type.Optional(seconds),
})
/** Decoded {@link Validator}. */
export type Validator = Static<typeof Validator>

const owner = (description: string): Schema<{ addresses: string[]; threshold: number }> =>
  Type.Object(
    {
      addresses: Type.Array(Type.String(), 'Addresses'),
      threshold: Type.Integer('Signatures needed'),
    },
    { description, additionalProperties: false },
  )

/** One L1 validation. */
export const L1Validator = Type.Component('L1Validator', 'An L1 validation', {
  validationId: cb58,
  validationIdHex: Type.String('0x hex'),
  nodeId: Type.String('Id of the node'),
  subnetId: cb58,
  weight: Type.Integer('Weight in the set of validators'),
  remainingBalance: Type.Integer('nAVAX', { 'x-decimals': 9 }),
  creationTimestamp: Type.Integer('Unix seconds'),
  blsCredentials: Type.Object(
    { publicKey: Type.String('48 bytes, 0x hex') },
    'BLS key of the validator',
  ),
  remainingBalanceOwner: owner('Who is paid what is left of the balance'),
  deactivationOwner: owner('Who may deactivate it'),
})
/** Decoded {@link L1Validator}. */
export type L1Validator = Static<typeof L1Validator>

/** States of a delegation. */
export const delegationStatuses = ['completed', 'active', 'pending'] as const

/** One delegation; estimated rewards while it runs, rewards after it. */
export const Delegator = Type.Component(
  'Delegator',
  'A delegation; estimated rewards while it runs, rewards after it',
  {
    txHash: Type.String('the delegating transaction, cb58'),
    nodeId: Type.String('Id of the node'),
    rewardAddresses: Type.Array(Type.String(), 'owners of the reward, bech32'),
    asset: Type.Optional(Asset),
    amountDelegated: stakeAmount(),
    delegationFee: Type.String('the validator’s fee, percent, decimal'),
    startTimestamp: Type.Integer('Unix seconds'),
    endTimestamp: Type.Integer('Unix seconds'),
    delegationStatus: Type.Enum(delegationStatuses, 'State of the delegation'),
    estimatedGrossReward: Type.Optional(stakeAmount('expected reward, before the fee')),
    estimatedNetReward: Type.Optional(stakeAmount('expected reward, after the fee')),
    grossReward: Type.Optional(stakeAmount('reward with the fee; 0 when none was paid')),
    netReward: Type.Optional(stakeAmount('reward paid to the delegator')),
  },
)

/** Decoded {@link Delegator}. */
export type Delegator = Static<typeof Delegator>

const stakeFields = {
  addresses: Type.Array(Type.String(), 'Addresses'),
  txHash: Type.String('the staking transaction, cb58'),
  nodeId: Type.String('Id of the node'),
  stakingType: StakingType,
  startTimestamp: seconds,
  endTimestamp: seconds,
  rewardType: Type.Enum(
    ['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'],
    'Whether it is for validating or of delegating',
  ),
} as const

/** A reward paid. */
export const HistoricalReward = Type.Component('HistoricalReward', 'A reward that was paid', {
  ...stakeFields,
  amountStaked: stakeAmount('smallest unit of the asset of `reward`', 'reward.denomination'),
  utxoId: cb58,
  outputIndex: Type.Integer('Place among the outputs of its transaction'),
  reward: PricedAsset,
  rewardTxHash: cb58,
})
/** Decoded {@link HistoricalReward}. */
export type HistoricalReward = Static<typeof HistoricalReward>

/** A reward to come, if the validator stays up. */
export const PendingReward = Type.Component(
  'PendingReward',
  'A reward to come, if the validator stays up',
  {
    ...stakeFields,
    amountStaked: stakeAmount(
      'smallest unit of the asset of `estimatedReward`',
      'estimatedReward.denomination',
    ),
    progress: Type.Number('percent of the time that is over', { examples: [50] }),
    estimatedReward: AssetAmount,
  },
)
/** Decoded {@link PendingReward}. */
export type PendingReward = Static<typeof PendingReward>
