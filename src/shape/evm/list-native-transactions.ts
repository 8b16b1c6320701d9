/** Native transactions of an address. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NativeTransaction } from './native-transaction.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'

/** Native transactions an address sent, received or was created by. */
export const ListNativeTransactions = {
  id: 'listNativeTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
  summary: 'Native transactions of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(NativeTransaction),
  }),
} as const
