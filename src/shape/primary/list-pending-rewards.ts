/** Rewards to come for stakes that are running. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { Addresses, NetworkPath, NodeIds, PageToken, pageSize, SortOrder } from './parameters.ts'
import { PendingReward } from './reward.ts'

/** Rewards to come for stakes that are running. */
export const ListPendingRewards = {
  id: 'listPendingPrimaryNetworkRewards',
  method: 'GET',
  path: '/v1/networks/{network}/rewards:listPending',
  summary: 'Rewards to come for running stakes of addresses or nodes',
  tag: 'Primary Network Rewards',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      nodeIds: Type.Optional(NodeIds),
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      sortOrder: SortOrder,
    }),
  },
  response: Type.Object({
    nextPageToken,
    pendingRewards: Type.Array(PendingReward),
  }),
} as const
