/** ERC-20 balances of an address. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { erc20Fields, TokenReputation } from './erc20-token.ts'
import { Money } from './money.ts'
import { amount, decimal } from './scalars.ts'

/** Balance of an address in one token. */
export const Erc20TokenBalance = Type.Object(
  {
    ...erc20Fields,
    chainId: decimal('EVM chain id'),
    balance: amount('Smallest unit of the token', 'decimals'),
    balanceValue: Type.Optional(Money),
    tokenReputation: TokenReputation,
  },
  { $id: 'Erc20TokenBalance', additionalProperties: false },
)

/** Decoded {@link Erc20TokenBalance}. */
export type Erc20TokenBalance = Static<typeof Erc20TokenBalance>
