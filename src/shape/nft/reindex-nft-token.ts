/** A wish to read the metadata of a token again. */

import { NoQuery } from '../evm/query.ts'
import { Type } from '../type.ts'
import { NftTokenPath } from './nft-path.ts'

/** Source: `reindexNft` of the public clients; once an hour per token. */
export const ReindexNftToken = {
  id: 'reindexNft',
  method: 'POST',
  path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}:reindex',
  summary: 'Read the metadata of a token again, at most once an hour',
  tag: 'NFTs',
  weight: 20,
  status: 201,
  parameters: { path: NftTokenPath, query: NoQuery },
  response: Type.Void({ description: 'Nothing' }),
} as const
