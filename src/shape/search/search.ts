/** One question over every kind of id and name. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

/** What a hit may be, the surest first. */
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
  'address',
] as const

/** Something known here that the question fits. */
export const SearchHit = Type.Object(
  {
    kind: Type.Enum([...hitKinds]),
    id: Type.String({ description: 'as paths of the API take it' }),
    label: Type.String({ description: 'name, or what it is' }),
    match: Type.Enum(['id', 'height', 'name', 'part'], {
      description: 'what of it the question is: its id, its height, its whole name, or part of it',
    }),
    network: Type.Enum(['mainnet', 'fuji']),
    chainId: Type.Optional(Type.String({ description: 'EVM chain id of the chain it is on' })),
    blockchainId: Type.Optional(
      Type.String({ description: 'p-chain, x-chain or c-chain it is on, or its own id, cb58' }),
    ),
    path: Type.String({ description: 'path of the operation that tells more' }),
  },
  { $id: 'SearchHit', additionalProperties: false },
)
/** Decoded {@link SearchHit}. */
export type SearchHit = Static<typeof SearchHit>

/** One question over everything. */
export const Search = {
  id: 'search',
  method: 'GET',
  path: '/v1/search',
  summary: 'Finds ids, addresses, heights, and names of chains, subnets and tokens',
  tag: 'Search',
  weight: 20,
  parameters: {
    path: Type.Object({}),
    query: Type.Object({
      q: Type.String({
        description:
          'An id (cb58 or hex), hash, address (bech32 or 0x), node id, height, EVM chain id, or a name or symbol',
        minLength: 1,
        maxLength: 128,
        pattern: '\\S',
        allowed: 'a text of 1 to 128 characters',
      }),
      network: Type.Optional(
        Type.Enum(['mainnet', 'fuji', 'testnet'], { description: 'Only of this network' }),
      ),
    }),
  },
  response: Type.Object({
    hits: Type.Array(SearchHit, { maxItems: 50, description: 'best first, 50 at most' }),
  }),
} as const
