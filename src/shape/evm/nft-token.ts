/** NFTs as shown with their transfers and in lists. */

import { nftStatuses } from '../../core/nft-status.ts'
import { Type, type Static, Optional } from '../type.ts'
import { address, decimal } from './scalars.ts'
import { label } from './token.ts'

const commonMetadata = {
  indexStatus: Type.Enum(nftStatuses, 'How far the metadata is known'),
  metadataLastUpdatedTimestamp: Optional.Integer('Unix seconds of the last attempt', {
    examples: [1795372747],
  }),
  name: Optional.String(),
  symbol: Optional.String(),
  imageUri: Optional.String('Picture'),
  description: Optional.String(),
  animationUri: Optional.String('Animation or sound', {
    examples: ['https://pictures.example/1.mp4'],
  }),
  externalUrl: Optional.String('Page of the item', {
    examples: ['https://pictures.example/1'],
  }),
  background: Optional.String('Colour behind the picture, six hex digits', {
    examples: ['ffffff'],
  }),
}

/** Metadata of an ERC-721 token. */
export const Erc721Metadata = Type.Component('Erc721Metadata', 'Metadata of an ERC-721 token', {
  ...commonMetadata,
  attributes: Optional.String('JSON text of the attributes'),
})
/** Decoded {@link Erc721Metadata}. */
export type Erc721Metadata = Static<typeof Erc721Metadata>

/** Metadata of an ERC-1155 token. */
export const Erc1155Metadata = Type.Component('Erc1155Metadata', 'Metadata of an ERC-1155 token', {
  ...commonMetadata,
  decimals: Optional.Integer('Decimal places'),
  properties: Optional.String('JSON text of the properties', { examples: ['{"level":3}'] }),
})
/** Decoded {@link Erc1155Metadata}. */
export type Erc1155Metadata = Static<typeof Erc1155Metadata>

/** One ERC-721 token. */
export const Erc721Token = Type.Component('Erc721Token', 'An ERC-721 token', {
  address: address('Token contract'),
  name: Type.String('Name of the contract; empty where it gives none'),
  symbol: Type.String('Symbol of the contract; empty where it gives none'),
  ercType: Type.Literal('ERC-721', 'Standard of the token'),
  tokenId: decimal('Token id'),
  tokenUri: Type.String('URI of the metadata; empty where unknown'),
  ownerAddress: Type.Optional(address('Owner; absent when burned or unknown')),
  ownerLabel: label,
  metadata: Erc721Metadata,
})
/** Decoded {@link Erc721Token}. */
export type Erc721Token = Static<typeof Erc721Token>

/** One ERC-1155 token id. */
export const Erc1155Token = Type.Component('Erc1155Token', 'An ERC-1155 token id', {
  address: address('Token contract'),
  ercType: Type.Literal('ERC-1155', 'Standard of the token'),
  tokenId: decimal('Token id'),
  tokenUri: Type.String('URI of the metadata; empty where unknown'),
  metadata: Erc1155Metadata,
})
/** Decoded {@link Erc1155Token}. */
export type Erc1155Token = Static<typeof Erc1155Token>

/** An ERC-721 token someone owns. */
export const Erc721TokenBalance = Type.Component(
  'Erc721TokenBalance',
  'An ERC-721 token that somebody owns',
  { ...Erc721Token.properties, chainId: decimal('EVM chain id') },
)
/** Decoded {@link Erc721TokenBalance}. */
export type Erc721TokenBalance = Static<typeof Erc721TokenBalance>

/** An ERC-1155 token id that an address holds. */
export const Erc1155TokenBalance = Type.Component(
  'Erc1155TokenBalance',
  'An ERC-1155 token id of which somebody has some',
  {
    ...Erc1155Token.properties,
    chainId: decimal('EVM chain id'),
    balance: decimal('How much of it, by the logs'),
  },
)
/** Decoded {@link Erc1155TokenBalance}. */
export type Erc1155TokenBalance = Static<typeof Erc1155TokenBalance>
