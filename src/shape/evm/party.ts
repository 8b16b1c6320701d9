/** A sender or receiver: an address, and its token contract where it is one. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { isSpam } from './erc20-token.ts'
import { address } from './scalars.ts'

/** `from` and `to` of transfers and transactions. */
export const Party = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Name of the token contract' })),
    symbol: Type.Optional(Type.String({ description: 'Symbol of the token contract' })),
    decimals: Type.Optional(Type.Integer({ description: 'Decimals of an ERC-20 contract' })),
    logoUri: Type.Optional(Type.String({ description: 'Logo of the token contract' })),
    isSpam,
    label: Type.Optional(Type.String({ description: 'What the operator calls the address' })),
    address: address('Address; the zero address where a contract was created'),
  },
  { $id: 'Party', additionalProperties: false },
)
/** Decoded {@link Party}. */
export type Party = Static<typeof Party>
