/** Delegations of the primary network. Source: official clients, ListDelegatorDetailsResponse. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

const amount = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description, pattern: '^[0-9]+$' })

/** States of a delegation. */
export const delegationStatuses = ['completed', 'active', 'pending'] as const

/** One delegation; estimated rewards while it runs, rewards after it. */
export const Delegator = Type.Object(
  {
    txHash: Type.String({ description: 'the delegating transaction, cb58' }),
    nodeId: Type.String(),
    rewardAddresses: Type.Array(Type.String(), { description: 'owners of the reward, bech32' }),
    amountDelegated: amount('nAVAX, or the subnet’s unit'),
    delegationFee: Type.String({ description: 'the validator’s fee, percent, decimal' }),
    startTimestamp: Type.Integer({ description: 'Unix seconds' }),
    endTimestamp: Type.Integer({ description: 'Unix seconds' }),
    delegationStatus: Type.Enum([...delegationStatuses]),
    estimatedGrossReward: Type.Optional(amount('expected reward, before the fee')),
    estimatedNetReward: Type.Optional(amount('expected reward, after the fee')),
    grossReward: Type.Optional(amount('reward with the fee; 0 when none was paid')),
    netReward: Type.Optional(amount('reward paid to the delegator')),
  },
  { $id: 'Delegator', additionalProperties: false },
)

/** Decoded {@link Delegator}. */
export type Delegator = Static<typeof Delegator>
