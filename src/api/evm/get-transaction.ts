/** One transaction with everything that happened in it. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ChainTransactionPath, NoQuery } from '../../shape/evm/parameters.ts'
import { TransactionDetail } from '../../shape/evm/transaction.ts'
import { transactionByHash } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { EvmParts } from './parts.ts'
import { tracedHeaders } from './traced.ts'
import { transactionDetail } from './transaction-detail.ts'

const GetTransaction = {
  id: 'getTransaction',
  method: 'GET',
  path: '/v1/chains/{chainId}/transactions/{txHash}',
  summary: 'A transaction with its transfers and internal transactions',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainTransactionPath, query: NoQuery },
  response: TransactionDetail,
} as const

/** Document B, endpoint 7. Throws `not-found` for a hash the chain does not have. */
export function getTransaction(parts: EvmParts): Operation {
  return operation(GetTransaction, async ({ path, signal }) => {
    const chain = parts.chains.find(path.chainId)
    const row = await transactionByHash(chain.store, fromHex(path.txHash))
    if (row === undefined)
      throw new Fault('not-found', `transaction is not known here: ${path.txHash}`)
    const body = await transactionDetail(parts, chain, row, { signal })
    return { body, ...(await tracedHeaders(chain)) }
  })
}
