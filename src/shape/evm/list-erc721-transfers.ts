/** ERC-721 transfers of an address. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'
import { Erc721Transfer } from './token-transfer.ts'

/** Completes endpoints 1 and 2 of document B. */
export const ListErc721Transfers = {
  id: 'listErc721Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc721',
  summary: 'ERC-721 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(Erc721Transfer),
  }),
} as const
