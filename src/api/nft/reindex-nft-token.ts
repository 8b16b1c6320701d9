/** A request to read the metadata of a token again. */

import { NoQuery } from '../../shape/evm/parameters.ts'
import { NftTokenPath } from '../../shape/nft/nft-path.ts'
import { Type } from '../../shape/type.ts'
import { itemBytes } from '../../store/query/nft/nft-place.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { NftContext } from './nft-context.ts'
import { tokenOf } from './nft-path.ts'

const ReindexNftToken = {
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

/** Takes the request; the indexer fulfils it and moves `metadataLastUpdatedTimestamp`. */
export function reindexNftToken(context: NftContext): Operation {
  return operation(ReindexNftToken, async ({ path }) => {
    const { chain, address, place, standard } = await tokenOf(context, path)
    await context.requests.add({
      chainKey: chain.facts.key,
      contract: address,
      item: itemBytes(place.item),
      standard,
    })
    return { body: undefined }
  })
}
