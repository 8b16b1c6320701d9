/** Chains of all subnets. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from './parameters.ts'
import { Blockchain } from './subnet.ts'

/** Chains of all subnets. */
export const ListBlockchains = {
  id: 'listBlockchains',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains',
  summary: 'Chains of all subnets',
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
    blockchains: Type.Array(Blockchain),
  }),
} as const
