/** Where NFT details come from: token URIs, owners, metadata. */

import type { Erc1155Metadata, Erc721Metadata } from '../../shape/evm/nft-token.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

/** One NFT: the number of its contract's address, and its id, `0x` hex (zero is `0x`). */
export type NftItem = { readonly contractId: number; readonly item: string }

/** Stored facts about an ERC-721 token. `ownerAddress` is checksummed. */
export type Erc721Details = {
  readonly tokenUri: string
  readonly metadata: Erc721Metadata
  readonly ownerAddress?: string | undefined
}

/** Stored facts about an ERC-1155 token id. */
export type Erc1155Details = { readonly tokenUri: string; readonly metadata: Erc1155Metadata }

/** Finds details of NFTs, in the order asked. */
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
