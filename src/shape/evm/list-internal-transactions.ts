/** Internal transactions of an address. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { InternalTransaction } from './internal-transaction.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'

/** Document B, endpoint 4. */
export const ListInternalTransactions = {
  id: 'listInternalTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  summary: 'Internal transactions of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(InternalTransaction),
  }),
} as const
