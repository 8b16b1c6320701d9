/** Delegations of the primary network. Source: official clients, ListDelegatorDetailsResponse. */

import type { Static } from 'typebox'

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, NodeIds, PageToken, pageSize, SortOrder } from './parameters.ts'

/** States of a delegation. */
export const delegationStatuses = ['completed', 'active', 'pending'] as const

const amount = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description, pattern: '^[0-9]+$' })

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

/** Delegations of the primary network. */
export const ListDelegators = {
  id: 'listDelegators',
  method: 'GET',
  path: '/v1/networks/{network}/delegators',
  summary: 'Delegations by reward address, by node, or all, in every state',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      rewardAddresses: Type.Optional(
        Type.String({
          description: 'Comma-separated owners of rewards: bech32, bare or after `P-`',
          maxLength: 16_384,
        }),
      ),
      nodeIds: Type.Optional(NodeIds),
      delegationStatus: Type.Optional(Type.Enum([...delegationStatuses])),
      sortOrder: SortOrder,
    }),
  },
  response: Type.Object({ nextPageToken, delegators: Type.Array(Delegator) }),
} as const
