/** Latest transactions of all chains. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NativeTransaction } from './native-transaction.ts'
import { NoPath } from './path.ts'
import { network, pageSize, pageToken, status } from './query.ts'

/** Latest transactions of every chain served, by time of their blocks. */
export const ListAllLatestTransactions = {
  id: 'listLatestTransactionsAllChains',
  method: 'GET',
  path: '/v1/transactions',
  summary: 'Latest transactions of all chains, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: NoPath, query: Type.Object({ network, status, pageToken, pageSize }) },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(NativeTransaction),
  }),
} as const
