/** An ERC-20 token as shown with its transfers. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { Money } from './money.ts'
import { address } from './scalars.ts'

/** True for a token that looks like spam. */
export const isSpam = Type.Optional(
  Type.Literal(true, { description: 'The token looks like spam' }),
)

/** Fields of an ERC-20 token that every view of it has. */
export const erc20Fields = {
  address: address('Token contract'),
  name: Type.String({ description: 'Name; empty where the contract tells none' }),
  symbol: Type.String({ description: 'Symbol; empty where the contract tells none' }),
  decimals: Type.Integer({ description: 'Decimals; 0 where the contract tells none', minimum: 0 }),
  logoUri: Type.Optional(Type.String({ description: 'Logo' })),
  ercType: Type.Literal('ERC-20'),
  price: Type.Optional(Money),
  isSpam,
}

/** Opinion about a token: of the operator's list, `null` where it has none. */
export const TokenReputation = Type.Union(
  [Type.Literal('Malicious'), Type.Literal('Benign'), Type.Null()],
  { description: "The operator's opinion; null where there is none" },
)
/** Decoded {@link TokenReputation}. */
export type TokenReputation = Static<typeof TokenReputation>

/** An ERC-20 token. */
export const Erc20Token = Type.Object(erc20Fields, {
  $id: 'Erc20Token',
  additionalProperties: false,
})
/** Decoded {@link Erc20Token}. */
export type Erc20Token = Static<typeof Erc20Token>

/** An ERC-20 token with its reputation, as version 2 shows it. */
export const Erc20TokenWithReputation = Type.Object(
  { ...erc20Fields, tokenReputation: TokenReputation },
  { $id: 'Erc20TokenWithReputation', additionalProperties: false },
)
/** Decoded {@link Erc20TokenWithReputation}. */
export type Erc20TokenWithReputation = Static<typeof Erc20TokenWithReputation>
