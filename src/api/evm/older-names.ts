/**
 * Older names of operations over all chains: the same answers. Source: official clients, EvmChains.
 */

import type { Operation } from '../operation/operation.ts'
import { listAddressChains } from './list-address-chains.ts'
import { listAllLatestBlocks } from './list-all-latest-blocks.ts'
import { listAllLatestTransactions } from './list-all-latest-transactions.ts'
import type { EvmParts } from './parts.ts'

/** All three. Page tokens of one name are good for the other. */
export function olderEvmOperations(parts: EvmParts): Operation[] {
  return [
    renamed(listAddressChains(parts), {
      id: 'getAddressChains',
      path: '/v1/chains/address/{address}',
      summary: 'Older name of /v1/address/{address}/chains',
    }),
    renamed(listAllLatestTransactions(parts), {
      id: 'listAllLatestTransactions',
      path: '/v1/chains/allTransactions',
      summary: 'Older name of /v1/transactions',
    }),
    renamed(listAllLatestBlocks(parts), {
      id: 'listAllLatestBlocks',
      path: '/v1/chains/allBlocks',
      summary: 'Older name of /v1/blocks',
    }),
  ]
}

function renamed(
  { shape, answer }: Operation,
  names: { readonly id: string; readonly path: string; readonly summary: string },
): Operation {
  return { shape: { ...shape, ...names }, answer }
}
