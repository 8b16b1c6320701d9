/** One token of an NFT contract. */

import { assert } from '../../core/fault.ts'
import { Erc1155Token, Erc721Token } from '../../shape/evm/nft-token.ts'
import { NoQuery } from '../../shape/evm/parameters.ts'
import { NftTokenPath } from '../../shape/nft/nft-path.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { NftContext } from './nft-context.ts'
import { tokenOf } from './nft-path.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'

const GetNftToken = {
  id: 'getTokenDetails',
  method: 'GET',
  path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}',
  summary: 'One token of an NFT contract',
  tag: 'NFTs',
  weight: 20,
  parameters: { path: NftTokenPath, query: NoQuery },
  response: Type.Union([Erc721Token, Erc1155Token]),
} as const

/** Neighbour of document B, endpoint 8: its owner and metadata. */
export function getNftToken(context: NftContext): Operation {
  return operation(GetNftToken, async ({ path }) => {
    const { chain, place, standard } = await tokenOf(context, path)
    const views = standard === 1155 ? erc1155Tokens : erc721Tokens
    const [body] = await views(context, chain, [place])
    assert(body !== undefined, 'there is a view of every place')
    return { body }
  })
}
