/** Who validated a subnet within a range of time. Source: official clients, PChainLookingGlass. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PageToken, pageSize, SubnetId } from './parameters.ts'

/** Who validated a subnet within a range of time. */
export const GetValidatorsByDateRange = {
  id: 'getValidatorsByDateRange',
  method: 'GET',
  path: '/v2/subnets/{subnetId}/validators:getAddresses',
  summary: 'Reward owners of validations of a subnet that overlap a range of time, newest first',
  tag: 'Network metrics',
  weight: 500,
  parameters: {
    path: Type.Object({ subnetId: SubnetId }),
    query: Type.Object({
      startTimestamp: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds' })),
      endTimestamp: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds' })),
      network: Type.Optional(
        Type.Enum(['mainnet', 'fuji', 'testnet'], {
          description: 'default: mainnet where it is served, else the other',
        }),
      ),
      pageToken: PageToken,
      pageSize: pageSize(1_000, 5_000),
    }),
  },
  response: Type.Object({
    nextPageToken,
    addresses: Type.Array(
      Type.Object({
        addresses: Type.Array(Type.String(), { description: 'owners of the rewards, bech32' }),
        sortKey: Type.String({ description: 'time of the staking transaction, Unix seconds' }),
      }),
    ),
  }),
} as const
