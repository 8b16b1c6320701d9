/** One token of an NFT contract. */

import { assert, Fault } from '../../../core/fault.ts'
import { Nfts } from '../../../shape/operations/nft.ts'
import { isKnownErc1155, ownersOfTokens } from '../../../store/query/nft/nft-details.ts'
import { maxItem, type NftPlace, itemBytes } from '../../../store/query/nft/nft-place.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { type Subject, subjectOf } from '../address-list.ts'
import type { NftContext } from './nft-context.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'

/** Neighbour of document B, endpoint 8: its owner and metadata. */
export function getNftToken(context: NftContext): Operation<'getTokenDetails'> {
  return operation(Nfts.getTokenDetails, async ({ path }) => {
    const { chain, place, standard } = await tokenOf(context, path)
    const views = standard === 1155 ? erc1155Tokens : erc721Tokens
    const [body] = await views(context, chain, [place])
    assert(body !== undefined, 'there is a view of every place')
    return { body }
  })
}

// The contract and token a path names.

/** A token that the chain's logs know. */
type NamedToken = Subject & { readonly place: NftPlace; readonly standard: 721 | 1155 }

/** Finds a token. Throws `bad-parameter` beyond 256 bits, `not-found` when no log names it. */
export async function tokenOf(
  context: NftContext,
  path: { readonly chainId: string; readonly address: string; readonly tokenId: string },
): Promise<NamedToken> {
  const item = BigInt(path.tokenId)
  if (item > maxItem)
    throw new Fault('bad-parameter', `tokenId must be below 2^256: ${path.tokenId}`)
  const subject = await subjectOf(context, path)
  if (subject.id === undefined) throw unknown(path.tokenId)
  const place = { contractId: subject.id, item }
  const standard = await standardOfToken(subject.chain, place)
  if (standard === undefined) throw unknown(path.tokenId)
  return { ...subject, place, standard }
}

/** ERC-1155 goes first where a contract logs both. */
async function standardOfToken(
  { store }: ServedChain,
  place: NftPlace,
): Promise<721 | 1155 | undefined> {
  if (await isKnownErc1155(store, place)) return 1155
  const [owner] = await ownersOfTokens(store, [place])
  return owner?.known === true ? 721 : undefined
}

function unknown(tokenId: string): Fault {
  return new Fault('not-found', `token is not known here: ${tokenId}`)
}

/** Takes the request; the indexer fulfils it and moves `metadataLastUpdatedTimestamp`. */
export function reindexNftToken(context: NftContext): Operation<'reindexNft'> {
  return operation(Nfts.reindexNft, async ({ path }) => {
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
