/** Document A, operation 6: balances of addresses. */

import { Type } from '../type.ts'
import { Balances } from './balances.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { Addresses, BlockTimestamp, ChainPath } from './parameters.ts'

/** Document A, operation 6: balances of addresses. */
export const GetBalances = {
  id: 'getBalancesByAddresses',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/balances',
  summary: 'Balances of addresses, now or at a moment',
  tag: 'Primary Network Balances',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({ blockTimestamp: BlockTimestamp, addresses: Type.Optional(Addresses) }),
  },
  response: Type.Object({ balances: Balances, chainInfo: PrimaryChainInfo }),
} as const
