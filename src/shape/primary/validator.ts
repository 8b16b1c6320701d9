/**
 * Validators by state. Source: document A, Validator; fields of the other states: official clients.
 */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { AutoRenewDetails, StakingType } from './auto-renew.ts'
import { BlsCredentials } from './owners.ts'

/** States of a validation. */
export const validationStatuses = ['completed', 'active', 'pending', 'removed'] as const

const seconds = Type.Integer({ description: 'Unix seconds' })
const amount = Type.String({ description: 'nAVAX, or the subnet’s unit', pattern: '^[0-9]+$' })
const hash = Type.String({ description: 'cb58' })

/** Rewards of a validation, earned or expected. */
export const ValidationRewards = Type.Object(
  {
    validationRewardAmount: amount,
    delegationRewardAmount: amount,
    rewardAddresses: Type.Optional(Type.Array(Type.String())),
    rewardTxHash: Type.Optional(hash),
  },
  { $id: 'ValidationRewards', additionalProperties: false },
)
/** Decoded {@link ValidationRewards}. */
export type ValidationRewards = Static<typeof ValidationRewards>

const percent = Type.Number({ description: 'percent' })

/** One validation of a node. */
export const Validator = Type.Object(
  {
    txHash: hash,
    nodeId: Type.String(),
    subnetId: hash,
    amountStaked: amount,
    delegationFee: Type.Optional(Type.String({ description: 'percent, decimal' })),
    startTimestamp: seconds,
    endTimestamp: seconds,
    blsCredentials: Type.Optional(BlsCredentials),
    validationStatus: Type.Enum([...validationStatuses]),
    stakingType: StakingType,
    autoRenew: Type.Optional(AutoRenewDetails),
    delegatorCount: Type.Optional(Type.Integer()),
    amountDelegated: Type.Optional(amount),
    rewards: Type.Optional(ValidationRewards),
    // Active only.
    stakePercentage: Type.Optional(percent),
    uptimePerformance: Type.Optional(percent),
    avalancheGoVersion: Type.Optional(Type.String()),
    delegationCapacity: Type.Optional(amount),
    potentialRewards: Type.Optional(ValidationRewards),
    validatorHealth: Type.Optional(
      Type.Object(
        {
          reachabilityPercent: percent,
          benchedPChainRequestsPercent: percent,
          benchedXChainRequestsPercent: percent,
          benchedCChainRequestsPercent: percent,
        },
        { additionalProperties: false },
      ),
    ),
    geolocation: Type.Optional(Type.Null()),
    // Removed only.
    removeTxHash: Type.Optional(hash),
    removeTimestamp: Type.Optional(seconds),
  },
  { $id: 'Validator', additionalProperties: false },
)
/** Decoded {@link Validator}. */
export type Validator = Static<typeof Validator>
