/** The transaction that created a contract. */

import { Fault } from '../../core/fault.ts'
import { ChainAddressPath, currency } from '../../shape/evm/parameters.ts'
import { TransactionDetail } from '../../shape/evm/transaction.ts'
import { Type } from '../../shape/type.ts'
import { creationOfContract } from '../../store/query/evm/contracts.ts'
import { transactionAt } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { EvmParts } from './parts.ts'
import { subjectOf } from './subject.ts'
import { tracedHeaders } from './traced.ts'
import { transactionDetail } from './transaction-detail.ts'

const GetContractDeployment = {
  id: 'getDeploymentTransaction',
  method: 'GET',
  path: '/v1/chains/{chainId}/contracts/{address}/transactions:getDeployment',
  summary: 'The transaction that created a contract',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object({ currency }) },
  response: TransactionDetail,
} as const

/** The transaction that created a contract. Throws `not-found` where none is known. */
export function getContractDeployment(parts: EvmParts): Operation {
  return operation(GetContractDeployment, async ({ path, query, signal }) => {
    const { chain, id } = await subjectOf(parts, path)
    const creation = id === undefined ? undefined : await creationOfContract(chain.store, id)
    const row =
      creation === undefined ? undefined : await transactionAt(chain.store, creation.txPos)
    if (row === undefined)
      throw new Fault('not-found', `no creation of a contract is known here: ${path.address}`)
    const body = await transactionDetail(parts, chain, row, { ...query, signal })
    return { body, ...(await tracedHeaders(chain)) }
  })
}
