/** The transaction that created a contract. */

import { Type } from '../type.ts'
import { TransactionDetail } from './get-transaction.ts'
import { ChainAddressPath } from './path.ts'
import { currency } from './query.ts'

/** The transaction that created a contract, in the form of a single transaction. */
export const GetContractDeployment = {
  id: 'getDeploymentTransaction',
  method: 'GET',
  path: '/v1/chains/{chainId}/contracts/{address}/transactions:getDeployment',
  summary: 'The transaction that created a contract',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object({ currency }) },
  response: TransactionDetail,
} as const
