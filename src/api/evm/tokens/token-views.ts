/** Prices put on tokens, and NFTs with what is known of them. */

import { parseEvmAddress } from '../../../core/address.ts'
import type { Erc1155Metadata, Erc721Metadata } from '../../../shape/evm/nft-token.ts'
import type { Erc20Token, CurrencyCode, Money } from '../../../shape/evm/token.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { PriceSource } from '../../prices/token-lists.ts'

/** A price as the API shows it. */
export function money(value: string, currencyCode: CurrencyCode): Money {
  return { currencyCode, value }
}

/** Puts a price on ERC-20 tokens. The result of {@link tokenPricer}. */
type Pricer = (token: Erc20Token) => Erc20Token

/** Leaves tokens as they are. */
export const unpriced: Pricer = (token) => token

/** Reads the prices of all `tokens` at once; those unknown stay without. */
export async function tokenPricer(
  prices: PriceSource,
  chain: ServedChain,
  tokens: readonly Erc20Token[],
  currency: CurrencyCode = 'usd',
): Promise<Pricer> {
  if (!prices.offered || tokens.length === 0) return unpriced
  const distinct = [...new Set(tokens.map((token) => token.address))]
  const found = await prices.current({
    chain: chain.facts,
    of: distinct.map(parseEvmAddress),
    currency,
  })
  const known = new Map<string, string>()
  for (const [at, address] of distinct.entries()) {
    const price = found[at]
    if (price !== undefined) known.set(address, price)
  }
  return (token) => {
    const price = known.get(token.address)
    return price === undefined ? token : { ...token, price: money(price, currency) }
  }
}

/** One NFT: the number of its contract's address, and its id, `0x` hex (zero is `0x`). */
export type NftItem = { readonly contractId: number; readonly item: string }

/** Stored facts about an ERC-721 token. `ownerAddress` is checksummed. */
type Erc721Details = {
  readonly tokenUri: string
  readonly metadata: Erc721Metadata
  readonly ownerAddress?: string | undefined
  readonly ownerLabel?: string | undefined
}

/** Stored facts about an ERC-1155 token id. */
type Erc1155Details = { readonly tokenUri: string; readonly metadata: Erc1155Metadata }

/** Finds details of NFTs, in the order requested. */
export type NftSource = {
  readonly erc721: (
    chain: ServedChain,
    items: readonly NftItem[],
  ) => Promise<readonly Erc721Details[]>
  readonly erc1155: (
    chain: ServedChain,
    items: readonly NftItem[],
  ) => Promise<readonly Erc1155Details[]>
}

/** Nothing is known of any NFT. */
export const noNfts: NftSource = {
  erc721: async (_chain, items) => items.map(unindexed),
  erc1155: async (_chain, items) => items.map(unindexed),
}

/** A fresh object each: dialects may change what they are given. */
function unindexed(): { tokenUri: string; metadata: { indexStatus: 'UNINDEXED' } } {
  return { tokenUri: '', metadata: { indexStatus: 'UNINDEXED' } }
}
