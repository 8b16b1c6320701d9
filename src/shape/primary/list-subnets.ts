/** Document A, operation 8: subnets. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from './parameters.ts'
import { Subnet } from './subnet.ts'

/** Document A, operation 8: subnets. */
export const ListSubnets = {
  id: 'listSubnets',
  method: 'GET',
  path: '/v1/networks/{network}/subnets',
  summary: 'Subnets with their chains, without the primary network, which is no subnet of its own',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    }),
  },
  response: Type.Object({
    nextPageToken,
    subnets: Type.Array(Subnet),
  }),
} as const
