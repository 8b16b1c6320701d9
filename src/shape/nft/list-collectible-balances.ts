/** NFTs of either standard of an address. */

import { ChainAddressPath } from '../evm/path.ts'
import { pageToken, widePageSize } from '../evm/query.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { Erc1155TokenBalance, Erc721TokenBalance } from './nft-balance.ts'
import { contractAddress } from './nft-path.ts'

/** Source: `listCollectibleBalances` of the public clients. */
export const ListCollectibleBalances = {
  id: 'listCollectibleBalances',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles',
  summary: 'NFTs of an address: ERC-721, then ERC-1155',
  tag: 'EVM balances',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({ contractAddress, pageToken, pageSize: widePageSize }),
  },
  response: Type.Object({
    nextPageToken,
    collectibleBalances: Type.Array(Type.Union([Erc721TokenBalance, Erc1155TokenBalance])),
  }),
} as const
