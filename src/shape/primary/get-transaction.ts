/** One transaction of the primary network. */

import { Type } from '../type.ts'
import { ChainPath } from './parameters.ts'
import { PrimaryNetworkTransaction } from './transaction.ts'

/** One transaction of the primary network. */
export const GetTransaction = {
  id: 'getTxByHash',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}',
  summary: 'One transaction',
  tag: 'Primary Network Transactions',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...ChainPath.properties,
      txHash: Type.String({ description: 'Transaction id, cb58 or hex', maxLength: 128 }),
    }),
    query: Type.Object({}),
  },
  response: PrimaryNetworkTransaction,
} as const
