/** Tokens of an NFT contract. */

import { Erc1155Token, Erc721Token } from '../evm/nft-token.ts'
import { ChainAddressPath } from '../evm/path.ts'
import { PageQuery } from '../evm/query.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'

/** Document B, endpoint 8. */
export const ListNftTokens = {
  id: 'listTokens',
  method: 'GET',
  path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens',
  summary: 'Tokens of an NFT contract, in order of their ids',
  tag: 'NFTs',
  weight: 20,
  parameters: { path: ChainAddressPath, query: PageQuery },
  response: Type.Object({
    nextPageToken,
    tokens: Type.Array(Type.Union([Erc721Token, Erc1155Token])),
  }),
} as const
