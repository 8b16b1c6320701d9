/** Reads the metadata of a token again. */

import { ReindexNftToken } from '../../shape/nft/reindex-nft-token.ts'
import { itemBytes } from '../../store/query/nft/nft-place.ts'
import { operation, type Operation } from '../operation.ts'
import { tokenOf } from './nft-path.ts'
import type { NftParts } from './parts.ts'

/** Takes the wish; the indexer fulfils it and moves `metadataLastUpdatedTimestamp`. */
export function reindexNftToken(parts: NftParts): Operation {
  return operation(ReindexNftToken, async ({ path }) => {
    const { chain, address, place, standard } = await tokenOf(parts, path)
    await parts.requests.add({
      chainKey: chain.facts.key,
      contract: address,
      item: itemBytes(place.item),
      standard,
    })
    return { body: undefined }
  })
}
