/**
 * Demands of `@avalanche-sdk/chainkit` 0.3.14 of answers, as schemas of our own: its package is
 * not in the registry. Source: its models, ava-labs/avalanche-sdk-typescript, chainkit/src/models/
 * components, September 2026. Other keys are stripped there, so they are allowed here.
 */

import { Compile } from 'typebox/compile'

import { Type, type Schema } from '../../../src/shape/type.ts'

/** User agent of that client. */
export const heliconAgent = 'speakeasy-sdk/typescript 0.3.14 2.792.2 1.0.0 @avalanche-sdk/chainkit'

const text = Type.String()
const number = Type.Number()
const texts = Type.Array(text)
const stakingType = Type.Enum(['fixed', 'autoRenewed'])
const state = Type.Enum(['renewing', 'exiting', 'exited', 'aborted'])
const token = { nextPageToken: Type.Optional(text) }

const autoRenew = Type.Object({
  state,
  nextPeriodSeconds: number,
  autoCompoundSharePercent: Type.Number({ minimum: 0, maximum: 100 }),
  compoundedWeight: text,
  accruedValidationRewards: text,
  accruedDelegateeRewards: text,
  validationRewardAddresses: texts,
  delegationRewardAddresses: texts,
  exitReason: Type.Union([Type.Enum(['graceful', 'uptime_not_met']), Type.Null()]),
  endedAtTimestamp: Type.Union([number, Type.Null()]),
})

const rewards = Type.Object({
  validationRewardAmount: text,
  delegationRewardAmount: text,
  rewardAddresses: Type.Optional(texts),
  rewardTxHash: Type.Optional(text),
})

const everyValidator = {
  txHash: text,
  nodeId: text,
  subnetId: text,
  amountStaked: text,
  delegationFee: Type.Optional(text),
  startTimestamp: number,
  endTimestamp: number,
  stakingType,
}
const active = Type.Object({
  ...everyValidator,
  validationStatus: Type.Literal('active'),
  stakePercentage: number,
  delegatorCount: number,
  amountDelegated: Type.Optional(text),
  uptimePerformance: number,
  potentialRewards: rewards,
  autoRenew: Type.Optional(autoRenew),
})
const completed = Type.Object({
  ...everyValidator,
  validationStatus: Type.Literal('completed'),
  delegatorCount: number,
  rewards,
  autoRenew: Type.Optional(autoRenew),
})
const pending = Type.Object({ ...everyValidator, validationStatus: Type.Literal('pending') })
const removed = Type.Object({
  ...everyValidator,
  validationStatus: Type.Literal('removed'),
  removeTxHash: text,
  removeTimestamp: number,
})

const everyReward = {
  addresses: texts,
  txHash: text,
  amountStaked: text,
  nodeId: text,
  startTimestamp: number,
  endTimestamp: number,
  rewardType: Type.Enum(['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE']),
  stakingType,
}

const transactionTypes = Type.Enum([
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'CreateChainTx',
  'CreateSubnetTx',
  'ImportTx',
  'ExportTx',
  'AdvanceTimeTx',
  'RewardValidatorTx',
  'RemoveSubnetValidatorTx',
  'TransformSubnetTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
  'BaseTx',
  'TransferSubnetOwnershipTx',
  'ConvertSubnetToL1Tx',
  'RegisterL1ValidatorTx',
  'SetL1ValidatorWeightTx',
  'DisableL1ValidatorTx',
  'IncreaseL1ValidatorBalanceTx',
  'AddAutoRenewedValidatorTx',
  'SetAutoRenewedValidatorConfigTx',
  'RewardAutoRenewedValidatorTx',
  'UNKNOWN',
])
const transaction = Type.Object({
  txHash: text,
  txType: transactionTypes,
  blockTimestamp: number,
  blockNumber: text,
  blockHash: text,
  period: Type.Optional(number),
  autoCompoundRewardShares: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  validatorAuthority: Type.Optional(Type.Object({ addresses: texts, threshold: number })),
  autoRenew: Type.Optional(autoRenew),
})

const cycle = {
  cycleIndex: number,
  stakingTxHash: text,
  startTimestamp: number,
  endTimestamp: number,
  weightAtCycleStart: text,
  autoCompoundSharePercent: Type.Number({ minimum: 0, maximum: 100 }),
  delegatorCount: number,
  amountDelegated: text,
}

const shapes = {
  validators: Type.Object({
    ...token,
    validators: Type.Array(Type.Union([active, pending, completed, removed])),
  }),
  historicalRewards: Type.Object({
    ...token,
    historicalRewards: Type.Array(
      Type.Object({ ...everyReward, utxoId: text, outputIndex: number, rewardTxHash: text }),
    ),
  }),
  pendingRewards: Type.Object({
    ...token,
    pendingRewards: Type.Array(Type.Object({ ...everyReward, progress: number })),
  }),
  transactions: Type.Object({ ...token, transactions: Type.Array(transaction) }),
  balances: Type.Object({
    balances: Type.Object({
      ...Object.fromEntries(
        [
          'unlockedUnstaked',
          'unlockedStaked',
          'lockedPlatform',
          'lockedStakeable',
          'lockedStaked',
          'pendingStaked',
          'atomicMemoryUnlocked',
          'atomicMemoryLocked',
        ].map((name) => [name, Type.Array(Type.Object({}))]),
      ),
      restakedRewards: Type.Optional(text),
    }),
  }),
  cycles: Type.Object({
    ...token,
    cycles: Type.Array(
      Type.Object({
        ...cycle,
        rewardTxHash: text,
        grossValidationReward: text,
        withdrawnValidationReward: text,
        compoundedValidationReward: text,
        grossDelegateeReward: text,
        withdrawnDelegateeReward: text,
        compoundedDelegateeReward: text,
        outcome: Type.Enum(['renewed', 'exited', 'aborted']),
      }),
    ),
    currentCycle: Type.Optional(
      Type.Object({
        ...cycle,
        projectedValidationReward: text,
        accruedDelegateeReward: text,
        state,
      }),
    ),
  }),
} as const

/** Name of a schema. */
export type HeliconName = keyof typeof shapes

/** Throws when that client would refuse `body`. */
export function holdAgainstHelicon(name: HeliconName, body: unknown): void {
  const shape: Schema = shapes[name]
  const check = Compile(shape)
  if (check.Check(body)) return
  const [first] = check.Errors(body)
  throw new Error(`${name}: ${first?.instancePath} ${first?.message}`)
}
