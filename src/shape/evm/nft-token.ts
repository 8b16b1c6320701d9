/** NFTs as shown with their transfers and in lists. */

import { nftStatuses } from '../../core/nft-status.ts'
import { Type, type Static } from '../type.ts'
import { address, decimal } from './scalars.ts'

const commonMetadata = {
  indexStatus: Type.Enum([...nftStatuses], { description: 'How far the metadata is known' }),
  metadataLastUpdatedTimestamp: Type.Optional(
    Type.Integer({ description: 'Unix seconds of the last attempt' }),
  ),
  name: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
  imageUri: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  animationUri: Type.Optional(Type.String()),
  externalUrl: Type.Optional(Type.String()),
  background: Type.Optional(Type.String()),
}

/** Metadata of an ERC-721 token. */
export const Erc721Metadata = Type.Object(
  {
    ...commonMetadata,
    attributes: Type.Optional(Type.String({ description: 'JSON text of the attributes' })),
  },
  { $id: 'Erc721Metadata', additionalProperties: false },
)
/** Decoded {@link Erc721Metadata}. */
export type Erc721Metadata = Static<typeof Erc721Metadata>

/** Metadata of an ERC-1155 token. */
export const Erc1155Metadata = Type.Object(
  {
    ...commonMetadata,
    decimals: Type.Optional(Type.Integer()),
    properties: Type.Optional(Type.String({ description: 'JSON text of the properties' })),
  },
  { $id: 'Erc1155Metadata', additionalProperties: false },
)
/** Decoded {@link Erc1155Metadata}. */
export type Erc1155Metadata = Static<typeof Erc1155Metadata>

/** One ERC-721 token. */
export const Erc721Token = Type.Object(
  {
    address: address('Token contract'),
    name: Type.String({ description: 'Name of the contract; empty where it gives none' }),
    symbol: Type.String({ description: 'Symbol of the contract; empty where it gives none' }),
    ercType: Type.Literal('ERC-721'),
    tokenId: decimal('Token id'),
    tokenUri: Type.String({ description: 'URI of the metadata; empty where unknown' }),
    ownerAddress: Type.Optional(address('Owner; absent when burned or unknown')),
    metadata: Erc721Metadata,
  },
  { $id: 'Erc721Token', additionalProperties: false },
)
/** Decoded {@link Erc721Token}. */
export type Erc721Token = Static<typeof Erc721Token>

/** One ERC-1155 token id. */
export const Erc1155Token = Type.Object(
  {
    address: address('Token contract'),
    ercType: Type.Literal('ERC-1155'),
    tokenId: decimal('Token id'),
    tokenUri: Type.String({ description: 'URI of the metadata; empty where unknown' }),
    metadata: Erc1155Metadata,
  },
  { $id: 'Erc1155Token', additionalProperties: false },
)
/** Decoded {@link Erc1155Token}. */
export type Erc1155Token = Static<typeof Erc1155Token>

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
