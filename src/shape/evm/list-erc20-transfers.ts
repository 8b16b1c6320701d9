/** ERC-20 transfers of an address. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'
import { Erc20Transfer } from './token-transfer.ts'

/** Document B, endpoint 2. */
export const ListErc20Transfers = {
  id: 'listErc20Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc20',
  summary: 'ERC-20 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(Erc20Transfer),
  }),
} as const
