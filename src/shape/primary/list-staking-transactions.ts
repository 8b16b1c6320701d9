/** Document A, operation 5: staking transactions whose stake is active. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import {
  Addresses,
  ChainPath,
  EndTimestamp,
  PageToken,
  pageSize,
  SortOrder,
  StartTimestamp,
} from './parameters.ts'
import { PrimaryNetworkTransaction, TxTypes } from './transaction.ts'

/** Document A, operation 5: staking transactions whose stake is active. */
export const ListStakingTransactions = {
  id: 'listActivePrimaryNetworkStakingTransactions',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking',
  summary: 'Staking transactions of addresses whose stake is active',
  tag: 'Primary Network Transactions',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      txTypes: TxTypes,
      startTimestamp: StartTimestamp,
      endTimestamp: EndTimestamp,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      sortOrder: SortOrder,
    }),
  },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(PrimaryNetworkTransaction),
    chainInfo: PrimaryChainInfo,
  }),
} as const
