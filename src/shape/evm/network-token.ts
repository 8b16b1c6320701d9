/** The native coin of a chain. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { Money } from './money.ts'
import { decimal } from './scalars.ts'

const coin = {
  name: Type.String({ description: 'Name of the coin' }),
  symbol: Type.String({ description: 'Symbol of the coin' }),
  decimals: Type.Integer({ description: 'Decimals of the coin', minimum: 0 }),
  logoUri: Type.Optional(Type.String({ description: 'Logo' })),
}

/** The coin in which a chain's fees are paid. */
export const NetworkToken = Type.Object(
  { ...coin, description: Type.Optional(Type.String()) },
  { $id: 'NetworkToken', additionalProperties: false },
)
/** Decoded {@link NetworkToken}. */
export type NetworkToken = Static<typeof NetworkToken>

/** The coin and what it costs. `historicalPrice` only of transactions older than a day. */
export const NetworkTokenDetails = Type.Object(
  {
    networkToken: NetworkToken,
    currentPrice: Type.Optional(Money),
    historicalPrice: Type.Optional(Money),
  },
  { $id: 'NetworkTokenDetails', additionalProperties: false },
)
/** Decoded {@link NetworkTokenDetails}. */
export type NetworkTokenDetails = Static<typeof NetworkTokenDetails>

/** Native balance of an address, as the node reports it. */
export const NativeTokenBalance = Type.Object(
  {
    ...coin,
    chainId: decimal('EVM chain id'),
    price: Type.Optional(Money),
    balance: decimal('Wei'),
    balanceValue: Type.Optional(Money),
  },
  { $id: 'NativeTokenBalance', additionalProperties: false },
)
/** Decoded {@link NativeTokenBalance}. */
export type NativeTokenBalance = Static<typeof NativeTokenBalance>
