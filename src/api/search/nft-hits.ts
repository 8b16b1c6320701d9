/** Finds NFTs by the name in their metadata, and by their collection and number: `Summit Pictures #3`. */

import type { SearchHit } from '../../shape/search-hit.ts'
import { isKnownErc1155, ownersOfTokens } from '../../store/query/nft/nft-details.ts'
import { maxItem, type NftPlace } from '../../store/query/nft/nft-place.ts'
import { nameOfNft, nftsNamed } from '../../store/query/search/nfts-named.ts'
import { type NamedToken, tokensNamed } from '../../store/query/search/tokens-named.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { SearchContext } from './search-context.ts'

/** Collections of one name that are looked at. */
const mostCollections = 10

const nameAndNumber = /^(\S.*?)[\s#]+(\d{1,78})$/

/** Items of one beginning of a name. */
const mostNamed = 5
const leastBeginning = 3

type Found = NftPlace & { readonly label: string; readonly match: 'name' | 'part' }

/** Hits on one chain, each once. Cost: a range of names, the tokens of that name, and three look-ups for each. */
export async function nftHits(
  { addressBooks }: SearchContext,
  chain: ServedChain,
  q: string,
): Promise<SearchHit[]> {
  const found = [...(await byName(chain, q)), ...(await byNumber(chain, q))]
  const entryOf = await addressBooks(chain).load(found.map(({ contractId }) => contractId))
  const { facts } = chain
  const chainId = String(facts.evmChainId)
  const hits = new Map<string, SearchHit>()
  for (const { contractId, item, label, match } of found) {
    const { address, rich } = entryOf(contractId)
    const path = `/v1/chains/${chainId}/nfts/collections/${address}/tokens/${item}`
    const { network } = facts
    const { isSpam } = rich
    if (hits.get(path)?.match !== 'name')
      hits.set(path, {
        kind: 'nft',
        id: String(item),
        label,
        match,
        network,
        chainId,
        path,
        isSpam,
      })
  }
  return [...hits.values()]
}

async function byName({ store }: ServedChain, q: string): Promise<Found[]> {
  if (q.length < leastBeginning) return []
  const named = await nftsNamed(store, q, mostNamed)
  return named.map(({ name, ...place }) => ({
    ...place,
    label: name,
    match: same(name, q) ? 'name' : 'part',
  }))
}

async function byNumber(chain: ServedChain, q: string): Promise<Found[]> {
  const [, words = '', digits = ''] = nameAndNumber.exec(q) ?? []
  if (words.length < 2) return []
  const item = BigInt(digits)
  if (item > maxItem) return []
  const named = await tokensNamed(chain.store, words)
  const found: Found[] = []
  for (const one of named.filter(({ standard }) => standard !== 20).slice(0, mostCollections)) {
    const place = { contractId: one.id, item }
    if (!(await isKnown(chain, one, place))) continue
    const own = await nameOfNft(chain.store, one.standard === 1155 ? 1155 : 721, place)
    found.push({
      ...place,
      label: own ?? `${one.name === '' ? one.symbol : one.name} #${item}`,
      match: [one.name, one.symbol].some((name) => same(name, words)) ? 'name' : 'part',
    })
  }
  return found
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
