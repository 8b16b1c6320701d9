/** Transfers of a token contract. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { ChainAddressPath } from './path.ts'
import { BlockRangeQuery } from './query.ts'
import { Erc1155Transfer, Erc20Transfer, Erc721Transfer } from './token-transfer.ts'

/** Document B, endpoint 3. Each entry carries the token object of its own standard. */
export const ListTokenTransfers = {
  id: 'listTransfers',
  method: 'GET',
  path: '/v1/chains/{chainId}/tokens/{address}/transfers',
  summary: 'Transfers of a token contract, newest first',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: Type.Object({
    nextPageToken,
    transfers: Type.Array(Type.Union([Erc20Transfer, Erc1155Transfer, Erc721Transfer])),
  }),
} as const
