/** Transactions of a block. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NativeTransaction } from './native-transaction.ts'
import { ChainBlockPath } from './path.ts'
import { pageToken } from './query.ts'

/** Transactions of a block in block order. A `pageSize` of 0, the default, is the whole block. */
export const ListBlockTransactions = {
  id: 'getTransactionsForBlock',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks/{blockId}/transactions',
  summary: 'Transactions of a block, in block order',
  tag: 'EVM transactions',
  weight: 20,
  parameters: {
    path: ChainBlockPath,
    query: Type.Object({
      pageToken,
      pageSize: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          default: 0,
          description: 'Items per page; 0 is all of them',
        }),
      ),
    }),
  },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(NativeTransaction),
  }),
} as const
