/** Older names of operations over all chains. Source: official clients, EvmChains. */

import { ListAddressChains } from './list-address-chains.ts'
import { ListAllLatestBlocks } from './list-all-latest-blocks.ts'
import { ListAllLatestTransactions } from './list-all-latest-transactions.ts'

/** Older name of {@link ListAddressChains}. */
export const GetAddressChains = {
  ...ListAddressChains,
  id: 'getAddressChains',
  path: '/v1/chains/address/{address}',
  summary: 'Older name of /v1/address/{address}/chains',
} as const

/** Older name of {@link ListAllLatestTransactions}. */
export const ListLatestTransactionsOfAllChains = {
  ...ListAllLatestTransactions,
  id: 'listAllLatestTransactions',
  path: '/v1/chains/allTransactions',
  summary: 'Older name of /v1/transactions',
} as const

/** Older name of {@link ListAllLatestBlocks}. */
export const ListLatestBlocksOfAllChains = {
  ...ListAllLatestBlocks,
  id: 'listAllLatestBlocks',
  path: '/v1/chains/allBlocks',
  summary: 'Older name of /v1/blocks',
} as const
