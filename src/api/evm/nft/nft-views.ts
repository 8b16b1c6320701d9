/** NFTs as the lists and the single operation show them. */

import { toHex } from '../../../core/bytes.ts'
import type { Erc1155Token, Erc721Token } from '../../../shape/evm/nft-token.ts'
import { itemBytes, type NftPlace } from '../../../store/query/nft/nft-place.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { NftItem } from '../tokens/token-views.ts'
import type { NftContext } from './nft-context.ts'

/** ERC-721 tokens, in the order of `places`. */
export async function erc721Tokens(
  context: NftContext,
  chain: ServedChain,
  places: readonly NftPlace[],
): Promise<Erc721Token[]> {
  if (places.length === 0) return []
  const [named, details] = await Promise.all([
    context.addressBooks(chain).load(places.map(({ contractId }) => contractId)),
    context.nfts.erc721(chain, places.map(nftItem)),
  ])
  return places.map(({ contractId, item }, at) => {
    const { erc20 } = named(contractId)
    return {
      address: erc20.address,
      name: erc20.name,
      symbol: erc20.symbol,
      ercType: 'ERC-721',
      tokenId: item.toString(),
      ...(details[at] ?? { tokenUri: '', metadata: { indexStatus: 'UNKNOWN' } }),
    }
  })
}

/** ERC-1155 token ids, in the order of `places`. */
export async function erc1155Tokens(
  context: NftContext,
  chain: ServedChain,
  places: readonly NftPlace[],
): Promise<Erc1155Token[]> {
  if (places.length === 0) return []
  const [named, details] = await Promise.all([
    context.addressBooks(chain).load(places.map(({ contractId }) => contractId)),
    context.nfts.erc1155(chain, places.map(nftItem)),
  ])
  return places.map(({ contractId, item }, at) => ({
    address: named(contractId).address,
    ercType: 'ERC-1155',
    tokenId: item.toString(),
    ...(details[at] ?? { tokenUri: '', metadata: { indexStatus: 'UNKNOWN' } }),
  }))
}

function nftItem({ contractId, item }: NftPlace): NftItem {
  return { contractId, item: `0x${toHex(itemBytes(item))}` }
}
