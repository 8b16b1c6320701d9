/** The contract and token a path names. */

import { Fault } from '../../core/fault.ts'
import { isKnownErc1155, ownersOfTokens } from '../../store/query/nft/nft-details.ts'
import { maxItem, type NftPlace } from '../../store/query/nft/nft-place.ts'
import { type Subject, subjectOf } from '../evm/address-list.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { NftContext } from './nft-context.ts'

/** A token that the chain's logs know. */
export type NamedToken = Subject & { readonly place: NftPlace; readonly standard: 721 | 1155 }

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
