/** One transaction of the primary network. */

import { clip } from '../../core/bytes.ts'
import { ChainPath } from '../../shape/primary/parameters.ts'
import { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { Type } from '../../shape/type.ts'
import { transactionById } from '../../store/query/primary/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainOf, indexedTo, unknownOn } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { transactionViews } from './transaction-page.ts'

const GetPrimaryTransaction = {
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

/** The transaction with an id. */
export function getPrimaryTransaction(parts: PrimaryParts): Operation {
  return operation(GetPrimaryTransaction, async ({ path }) => {
    const chain = chainOf(parts.networks, path)
    const txId = idIn('txHash', path.txHash)
    const height = await indexedTo(chain.store, chain.chain)
    const row = await transactionById(chain.store, chain.chain, txId)
    const [body] = row === undefined ? [] : await transactionViews(chain, [row])
    if (body === undefined) throw await unknownOn(chain, `transaction ${clip(path.txHash)}`)
    return { body, ...height }
  })
}
