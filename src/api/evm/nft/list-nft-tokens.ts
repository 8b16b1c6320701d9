/** Tokens of an NFT contract. */

import { Nfts } from '../../../shape/operations/nft.ts'
import { maxItem, type NftPlace } from '../../../store/query/nft/nft-place.ts'
import {
  type ContractToken,
  tokensOfContract,
} from '../../../store/query/nft/tokens-of-contract.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { readPage, nextToken } from '../../operation/paging.ts'
import { subjectOf } from '../address-list.ts'
import { decodeNftCursor, encodeNftCursor, type NftCursor } from './held-nfts.ts'
import type { NftContext } from './nft-context.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'

/** A token id of one of the two standards. */
type Listed = ContractToken & { readonly standard: 721 | 1155 }

/** Document B, endpoint 8. A contract of two standards shows both: of one id, ERC-721 first. */
export function listNftTokens(context: NftContext): Operation<'listTokens'> {
  return operation(Nfts.listTokens, async ({ path, query }) => {
    const { chain, id: contractId, binding } = await subjectOf(context, path)
    const rows = async (last: NftCursor | undefined, limit: number): Promise<Listed[]> => {
      if (contractId === undefined) return []
      const lists = [721, 1155].map(async (standard): Promise<Listed[]> => {
        const isBehind = last !== undefined && last.standard >= standard
        const from = last === undefined ? 0n : isBehind ? last.item + 1n : last.item
        if (from > maxItem) return []
        const found = await tokensOfContract(chain.store, { contractId, standard, from, limit })
        return found.map((token) => ({ ...token, standard: standard === 721 ? 721 : 1155 }))
      })
      return (await Promise.all(lists)).flat().toSorted(inOrder).slice(0, limit)
    }
    const page = await readPage<Listed, NftCursor>(context.tokens, {
      route: Nfts.listTokens.id,
      subject: binding,
      query,
      encode: encodeNftCursor,
      decode: decodeNftCursor,
      cursorOf: ({ item, standard }) => ({ item, standard, contractId: contractId ?? 0 }),
      rows,
    })
    const placesOf = (standard: number): NftPlace[] =>
      page.rows.flatMap((row) =>
        row.standard === standard ? { item: row.item, contractId: contractId ?? 0 } : [],
      )
    const [unique, counted] = await Promise.all([
      erc721Tokens(context, chain, placesOf(721)),
      erc1155Tokens(context, chain, placesOf(1155)),
    ])
    const next = { 721: unique.values(), 1155: counted.values() }
    const tokens = page.rows.flatMap(({ standard }) => next[standard].next().value ?? [])
    return { body: { ...nextToken(page), tokens } }
  })
}

function inOrder(a: Listed, b: Listed): number {
  return a.item === b.item ? a.standard - b.standard : a.item < b.item ? -1 : 1
}
