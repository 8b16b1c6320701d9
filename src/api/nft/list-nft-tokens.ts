/** Tokens of an NFT contract. */

import { Erc1155Token, Erc721Token } from '../../shape/evm/nft-token.ts'
import { ChainAddressPath } from '../../shape/evm/path.ts'
import { defaultPageSize, PageQuery } from '../../shape/evm/query.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { itemBytes, itemOf, maxItem } from '../../store/query/nft/nft-place.ts'
import { type ContractToken, tokensOfContract } from '../../store/query/nft/tokens-of-contract.ts'
import { subjectOf } from '../evm/subject.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, readPage, nextToken } from '../operation/paging.ts'
import { standardOfContract } from './nft-path.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'
import type { NftParts } from './parts.ts'

const ListNftTokens = {
  id: 'listTokens',
  method: 'GET',
  path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens',
  summary: 'Tokens of an NFT contract, in order of their ids',
  tag: 'NFTs',
  weight: 20,
  parameters: { path: ChainAddressPath, query: PageQuery },
  response: pageShape({ tokens: Type.Array(Type.Union([Erc721Token, Erc1155Token])) }),
} as const

/** Document B, endpoint 8. */
export function listNftTokens(parts: NftParts): Operation {
  return operation(ListNftTokens, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const standard = id === undefined ? undefined : await standardOfContract(chain, id)
    const page = await readPage<ContractToken, bigint>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListNftTokens.id, { ...query, ...binding }),
      limit: query.pageSize ?? defaultPageSize,
      encode: itemBytes,
      decode: itemOf,
      cursorOf: ({ item }) => item,
      rows: async (last, limit) => {
        if (id === undefined || standard === undefined || last === maxItem) return []
        const from = last === undefined ? 0n : last + 1n
        return tokensOfContract(chain.store, { contractId: id, standard, from, limit })
      },
    })
    const places = id === undefined ? [] : page.rows.map(({ item }) => ({ contractId: id, item }))
    const views = standard === 1155 ? erc1155Tokens : erc721Tokens
    const tokens = await views(parts, chain, places)
    return { body: { ...nextToken(page), tokens } }
  })
}
