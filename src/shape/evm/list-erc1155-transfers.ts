/** ERC-1155 transfers of an address. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'
import { Erc1155Transfer } from './token-transfer.ts'

/** Document B, endpoint 1. */
export const ListErc1155Transfers = {
  id: 'listErc1155Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc1155',
  summary: 'ERC-1155 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(Erc1155Transfer),
  }),
} as const
