/** Token transfers, alone (with their block) and inside a transaction (without). */

import { Type, type Static } from '../type.ts'
import { Erc1155Token, Erc721Token } from './nft-token.ts'
import { amount } from './scalars.ts'
import { Erc20Token, Erc20TokenWithReputation, RichAddress, placementFields } from './token.ts'

const moved = {
  from: RichAddress,
  to: RichAddress,
  logIndex: Type.Integer('Place of the log in its block', { minimum: 0 }),
}
const tokens = 'Amount in the smallest unit of the token'
const value = amount(tokens, 0)
const erc20Value = amount(tokens, 'erc20Token.decimals')

const strict = { additionalProperties: false }

/** ERC-20 transfer inside a transaction. */
export const Erc20TransferDetails = Type.Object(
  { ...moved, value: erc20Value, erc20Token: Erc20Token },
  {
    $id: 'Erc20TransferDetails',
    description: 'An ERC-20 transfer inside the transaction',
    ...strict,
  },
)
/** Decoded {@link Erc20TransferDetails}. */
export type Erc20TransferDetails = Static<typeof Erc20TransferDetails>

/** ERC-20 transfer inside a transaction of version 2. */
export const Erc20TransferDetailsV2 = Type.Object(
  { ...moved, value: erc20Value, erc20Token: Erc20TokenWithReputation },
  {
    $id: 'Erc20TransferDetailsV2',
    description: 'The same with the reputation of the token',
    ...strict,
  },
)
/** Decoded {@link Erc20TransferDetailsV2}. */
export type Erc20TransferDetailsV2 = Static<typeof Erc20TransferDetailsV2>

/** ERC-721 transfer inside a transaction. */
export const Erc721TransferDetails = Type.Object(
  { ...moved, erc721Token: Erc721Token },
  {
    $id: 'Erc721TransferDetails',
    description: 'An ERC-721 transfer inside the transaction',
    ...strict,
  },
)
/** Decoded {@link Erc721TransferDetails}. */
export type Erc721TransferDetails = Static<typeof Erc721TransferDetails>

/** ERC-1155 transfer inside a transaction. */
export const Erc1155TransferDetails = Type.Object(
  { ...moved, value, erc1155Token: Erc1155Token },
  {
    $id: 'Erc1155TransferDetails',
    description: 'An ERC-1155 transfer inside the transaction',
    ...strict,
  },
)
/** Decoded {@link Erc1155TransferDetails}. */
export type Erc1155TransferDetails = Static<typeof Erc1155TransferDetails>

/** ERC-20 transfer. */
export const Erc20Transfer = Type.Object(
  { ...placementFields, ...moved, value: erc20Value, erc20Token: Erc20Token },
  { $id: 'Erc20Transfer', description: 'An ERC-20 transfer', ...strict },
)
/** Decoded {@link Erc20Transfer}. */
export type Erc20Transfer = Static<typeof Erc20Transfer>

/** ERC-721 transfer; it has no value. */
export const Erc721Transfer = Type.Object(
  { ...placementFields, ...moved, erc721Token: Erc721Token },
  { $id: 'Erc721Transfer', description: 'An ERC-721 transfer; it has no value', ...strict },
)
/** Decoded {@link Erc721Transfer}. */
export type Erc721Transfer = Static<typeof Erc721Transfer>

/** ERC-1155 transfer; each pair of a batch is one, all with the log index of the batch. */
export const Erc1155Transfer = Type.Object(
  { ...placementFields, ...moved, value, erc1155Token: Erc1155Token },
  {
    $id: 'Erc1155Transfer',
    description: 'An ERC-1155 transfer; each pair of a batch is one',
    ...strict,
  },
)
/** Decoded {@link Erc1155Transfer}. */
export type Erc1155Transfer = Static<typeof Erc1155Transfer>
