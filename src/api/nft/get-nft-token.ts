/** One token of an NFT contract. */

import { assert } from '../../core/fault.ts'
import { GetNftToken } from '../../shape/nft/get-nft-token.ts'
import { heightHeader } from '../evm/subject.ts'
import { operation, type Operation } from '../operation.ts'
import { tokenOf } from './nft-path.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'
import type { NftParts } from './parts.ts'

/** Neighbour of document B, endpoint 8: its owner and metadata. */
export function getNftToken(parts: NftParts): Operation {
  return operation(GetNftToken, async ({ path }) => {
    const { chain, place, standard } = await tokenOf(parts, path)
    const views = standard === 1155 ? erc1155Tokens : erc721Tokens
    const [body] = await views(parts, chain, [place])
    assert(body !== undefined, 'there is a view of every place')
    return { body, ...(await heightHeader(chain)) }
  })
}
