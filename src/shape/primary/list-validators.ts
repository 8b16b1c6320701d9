/** Document A, operation 7: validators. */

import type { TNumber, TOptional, TString } from 'typebox'

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SortOrder, SubnetId } from './parameters.ts'
import { validationStatuses, Validator } from './validator.ts'

/** What validators can be sorted by. */
export const validatorSorts = [
  'blockIndex',
  'delegationCapacity',
  'timeRemaining',
  'delegationFee',
  'uptimePerformance',
] as const

const between = (minimum: number, maximum: number, description: string): TOptional<TNumber> =>
  Type.Optional(Type.Number({ minimum, maximum, description }))

// 720 M AVAX, all there can ever be.
const capacity = (description: string): TOptional<TString> =>
  Type.Optional(
    Type.String({
      description,
      pattern: '^(0|[1-9][0-9]{0,16}|[1-6][0-9]{17}|7[01][0-9]{16}|720{16})$',
      allowed: 'an integer from 0 to 720000000000000000',
    }),
  )

/** Document A, operation 7: validators. */
export const ListValidators = {
  id: 'listValidators',
  method: 'GET',
  path: '/v1/networks/{network}/validators',
  summary: 'Validators of the primary network and of subnets, in all states',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      nodeIds: Type.Optional(
        Type.String({
          description: 'Comma-separated node ids, or parts of them',
          maxLength: 8_192,
        }),
      ),
      sortBy: Type.Optional(
        Type.Enum([...validatorSorts], {
          default: 'blockIndex',
          description: 'What orders the list; delegationFee: mainnet, primary subnet only',
        }),
      ),
      sortOrder: SortOrder,
      validationStatus: Type.Optional(Type.Enum([...validationStatuses])),
      minDelegationCapacity: capacity('Least capacity left for delegations, nAVAX'),
      maxDelegationCapacity: capacity('Most capacity left for delegations, nAVAX'),
      minTimeRemaining: between(0, 2_147_483_647, 'Least time left, seconds'),
      maxTimeRemaining: between(0, 2_147_483_647, 'Most time left, seconds'),
      minFeePercentage: between(2, 100, 'Least delegation fee, percent'),
      maxFeePercentage: between(2, 100, 'Most delegation fee, percent'),
      minUptimePerformance: between(0, 100, 'Least uptime as the node saw it, percent'),
      maxUptimePerformance: between(0, 100, 'Most uptime as the node saw it, percent'),
      subnetId: Type.Optional(SubnetId),
    }),
  },
  response: Type.Object({
    nextPageToken,
    validators: Type.Array(Validator),
  }),
} as const
