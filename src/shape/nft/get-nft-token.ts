/** One token of an NFT contract. */

import { Erc1155Token, Erc721Token } from '../evm/nft-token.ts'
import { NoQuery } from '../evm/query.ts'
import { Type } from '../type.ts'
import { NftTokenPath } from './nft-path.ts'

/** Source: `getTokenDetails` of the public clients. */
export const GetNftToken = {
  id: 'getTokenDetails',
  method: 'GET',
  path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}',
  summary: 'One token of an NFT contract',
  tag: 'NFTs',
  weight: 20,
  parameters: { path: NftTokenPath, query: NoQuery },
  response: Type.Union([Erc721Token, Erc1155Token]),
} as const
