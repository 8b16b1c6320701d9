/** A network in sum. Source: official clients, GetNetworkDetailsResponse. */

import { Type } from '../type.ts'
import { NetworkPath } from './parameters.ts'

const amount = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `${description}, nAVAX`, pattern: '^[0-9]+$' })
const percent = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `${description}, percent with two decimals` })

/** Stake and delegation of the primary network. */
export const GetNetworkDetails = {
  id: 'getNetworkDetails',
  method: 'GET',
  path: '/v1/networks/{network}',
  summary: 'Stake, delegation and reward rates of the primary network',
  tag: 'Primary Network',
  weight: 100,
  parameters: { path: NetworkPath, query: Type.Object({}) },
  response: Type.Object({
    validatorDetails: Type.Object({
      validatorCount: Type.Integer(),
      totalAmountStaked: amount('stake of validators themselves'),
      estimatedAnnualStakingReward: amount(
        'what all running validations and delegations earn until they end',
      ),
      stakingDistributionByVersion: Type.Array(
        Type.Object({
          version: Type.String({
            description:
              '`offline`: not connected to the node asked; `unknown`: connected or not asked',
          }),
          amountStaked: amount('stake of these nodes, delegations included'),
          validatorCount: Type.Integer(),
        }),
        { description: 'most stake first' },
      ),
      stakingRatio: Type.String({ description: 'stake and delegations over the current supply' }),
    }),
    delegatorDetails: Type.Object({
      delegatorCount: Type.Integer(),
      totalAmountStaked: amount('delegated'),
    }),
    apr: Type.Object(
      {
        shortest: percent('of a stake of 14 days'),
        longest: percent('of a stake of 365 days'),
      },
      { description: 'yearly rate of a stake that begins now; a delegator’s is less by the fee' },
    ),
    currentSupply: amount('what exists, rewards of running stakes included'),
  }),
} as const
