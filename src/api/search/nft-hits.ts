/** Finds NFTs by the name of their collection and their number: `Summit Pictures #3`. */

import { isObject, jsonOf } from '../../core/json.ts'
import type { SearchHit } from '../../shape/search-hit.ts'
import {
  isKnownErc1155,
  metadataOfTokens,
  ownersOfTokens,
} from '../../store/query/nft/nft-details.ts'
import { maxItem, type NftPlace } from '../../store/query/nft/nft-place.ts'
import { type NamedToken, tokensNamed } from '../../store/query/search/tokens-named.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { SearchContext } from './search-context.ts'

/** Collections of one name that are looked at. */
const mostCollections = 10

const nameAndNumber = /^(\S.*?)[\s#]+(\d{1,78})$/

/** Hits on one chain. Cost: the tokens of that name, and three look-ups for each. */
export async function nftHits(
  { addressBooks }: SearchContext,
  chain: ServedChain,
  q: string,
): Promise<SearchHit[]> {
  const [, words = '', digits = ''] = nameAndNumber.exec(q) ?? []
  if (words.length < 2) return []
  const item = BigInt(digits)
  if (item > maxItem) return []
  const named = await tokensNamed(chain.store, words)
  const collections = named.filter(({ standard }) => standard !== 20).slice(0, mostCollections)
  const known: NamedToken[] = []
  for (const one of collections)
    if (await isKnown(chain, one, { contractId: one.id, item })) known.push(one)
  const entryOf = await addressBooks(chain).load(known.map(({ id }) => id))
  const { facts } = chain
  const chainId = String(facts.evmChainId)
  const hits: SearchHit[] = []
  for (const one of known) {
    const { address, rich } = entryOf(one.id)
    const own = await nameOf(chain, one, { contractId: one.id, item })
    const isWhole = [one.name, one.symbol].some((name) => same(name, words))
    hits.push({
      kind: 'nft',
      id: String(item),
      label: own ?? `${one.name === '' ? one.symbol : one.name} #${item}`,
      match: isWhole ? 'name' : 'part',
      network: facts.network,
      chainId,
      path: `/v1/chains/${chainId}/nfts/collections/${address}/tokens/${item}`,
      isSpam: rich.isSpam,
    })
  }
  return hits
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

async function isKnown(
  { store }: ServedChain,
  { standard }: NamedToken,
  place: NftPlace,
): Promise<boolean> {
  if (standard === 1155) return isKnownErc1155(store, place)
  return (await ownersOfTokens(store, [place]))[0]?.known === true
}

/** The name that its metadata gives it, where they were read. */
async function nameOf(
  { store }: ServedChain,
  { standard }: NamedToken,
  place: NftPlace,
): Promise<string | undefined> {
  const [row] = await metadataOfTokens(store, standard === 1155 ? 1155 : 721, [place])
  const fields: unknown = row === undefined || row.fields === '' ? {} : jsonOf(row.fields)
  const name = isObject(fields) ? fields['name'] : undefined
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}
