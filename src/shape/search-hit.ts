/** One question over every kind of id and name. */

import { isSpam } from './evm/token.ts'
import { Type, type Static, Optional } from './type.ts'

/** Kinds of hits, the surest first. */
export const hitKinds = [
  'chain',
  'blockchain',
  'subnet',
  'transaction',
  'block',
  'asset',
  'l1Validator',
  'node',
  'token',
  'nft',
  'contract',
  'address',
] as const

/** Something known here that the question fits. */
export const SearchHit = Type.Component(
  'SearchHit',
  'Something known here that fits the question',
  {
    kind: Type.Enum(hitKinds),
    id: Type.String('as paths of the API take it'),
    label: Type.String('name, or what it is'),
    match: Type.Enum(
      ['id', 'height', 'name', 'part'],
      'the part that matched: its id, its height, its whole name, or part of it',
    ),
    network: Type.Enum(['mainnet', 'fuji'], 'Network: mainnet, or fuji for any other'),
    chainId: Optional.String('EVM chain id of the chain it is on'),
    blockchainId: Optional.String('p-chain, x-chain or c-chain it is on, or its own id, cb58'),
    path: Type.String('path of the operation that says more'),
    isLabelled: Type.Optional(
      Type.Literal(true, 'The label is what the address is called, not what it is'),
    ),
    isSpam,
  },
)

/** Decoded {@link SearchHit}. */
export type SearchHit = Static<typeof SearchHit>
