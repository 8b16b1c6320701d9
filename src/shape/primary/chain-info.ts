/** The chain that an answer is about. Source: document A, ChainInfo. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

/** Names of the three chains as answers carry them. */
export const chainNames = ['p-chain', 'x-chain', 'c-chain'] as const

/** Chain and network of an answer. */
export const PrimaryChainInfo = Type.Object(
  { chainName: Type.Enum([...chainNames]), network: Type.Enum(['mainnet', 'fuji']) },
  { $id: 'PrimaryChainInfo', additionalProperties: false },
)
/** Decoded {@link PrimaryChainInfo}. */
export type PrimaryChainInfo = Static<typeof PrimaryChainInfo>
