/**
 * Auto-renewed validators: what they will do, and their cycles. Source: official clients 0.3.14,
 * AutoRenewDetails, AutoRenewedCycle, CurrentAutoRenewedCycle.
 */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

const amount = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `${description}, nAVAX`, pattern: '^[0-9]+$', 'x-decimals': 9 })
const hash = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `${description}, cb58` })
const seconds = (description: string): ReturnType<typeof Type.Integer> =>
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
    '`exiting`: this cycle is the last; `exited`: it ended as asked; `aborted`: it ended for want of uptime',
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
