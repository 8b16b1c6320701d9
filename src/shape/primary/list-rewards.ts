/** Document A, operation 9: rewards paid. */

import { currencies } from '../evm/money.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { Addresses, NetworkPath, NodeIds, PageToken, pageSize, SortOrder } from './parameters.ts'
import { HistoricalReward } from './reward.ts'

/** Document A, operation 9: rewards paid. */
export const ListRewards = {
  id: 'listHistoricalPrimaryNetworkRewards',
  method: 'GET',
  path: '/v1/networks/{network}/rewards',
  summary: 'Rewards paid to addresses or for nodes',
  tag: 'Primary Network Rewards',
  weight: 100,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      nodeIds: Type.Optional(NodeIds),
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      sortOrder: SortOrder,
      currency: Type.Optional(
        Type.Enum([...currencies], { default: 'usd', description: 'Currency of prices' }),
      ),
    }),
  },
  response: Type.Object({
    nextPageToken,
    historicalRewards: Type.Array(HistoricalReward),
  }),
} as const
