/** Document A, operation 4: latest transactions. */

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

/** Document A, operation 4: latest transactions. */
export const ListTransactions = {
  id: 'listLatestPrimaryNetworkTransactions',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions',
  summary: 'Latest transactions of a chain, of addresses, or of an L1 validation',
  tag: 'Primary Network Transactions',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      l1ValidationId: Type.Optional(
        Type.String({ description: 'L1 validation id, cb58 or hex; P-Chain only', maxLength: 128 }),
      ),
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
