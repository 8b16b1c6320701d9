/** Older names of operations over all chains: the same answers. */

import {
  GetAddressChains,
  ListLatestBlocksOfAllChains,
  ListLatestTransactionsOfAllChains,
} from '../../shape/evm/older-names.ts'
import type { Operation } from '../operation.ts'
import { listAddressChains } from './list-address-chains.ts'
import { listAllLatestBlocks } from './list-all-latest-blocks.ts'
import { listAllLatestTransactions } from './list-all-latest-transactions.ts'
import type { EvmParts } from './parts.ts'

/** All three. Page tokens of one name are good for the other. */
export function olderEvmOperations(parts: EvmParts): Operation[] {
  return [
    { ...listAddressChains(parts), shape: GetAddressChains },
    { ...listAllLatestTransactions(parts), shape: ListLatestTransactionsOfAllChains },
    { ...listAllLatestBlocks(parts), shape: ListLatestBlocksOfAllChains },
  ]
}
