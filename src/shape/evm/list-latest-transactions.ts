/** Latest transactions of a chain. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NativeTransaction } from './native-transaction.ts'
import { ChainPath } from './path.ts'
import { pageSize, pageToken, status } from './query.ts'

/** Document B, endpoint 6. */
export const ListLatestTransactions = {
  id: 'listLatestTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/transactions',
  summary: 'Latest transactions of a chain, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainPath, query: Type.Object({ status, pageToken, pageSize }) },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(NativeTransaction),
  }),
} as const
