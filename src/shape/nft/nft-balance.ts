/** NFTs an address holds. */

import type { Static } from 'typebox'

import { Erc1155Token, Erc721Token } from '../evm/nft-token.ts'
import { decimal } from '../evm/scalars.ts'
import { Type } from '../type.ts'

/** An ERC-721 token someone owns. */
export const Erc721TokenBalance = Type.Object(
  { ...Erc721Token.properties, chainId: decimal('EVM chain id') },
  { $id: 'Erc721TokenBalance', additionalProperties: false },
)
/** Decoded {@link Erc721TokenBalance}. */
export type Erc721TokenBalance = Static<typeof Erc721TokenBalance>

/** An ERC-1155 token id that an address holds. */
export const Erc1155TokenBalance = Type.Object(
  {
    ...Erc1155Token.properties,
    chainId: decimal('EVM chain id'),
    balance: decimal('How much of it, by the logs'),
  },
  { $id: 'Erc1155TokenBalance', additionalProperties: false },
)
/** Decoded {@link Erc1155TokenBalance}. */
export type Erc1155TokenBalance = Static<typeof Erc1155TokenBalance>
