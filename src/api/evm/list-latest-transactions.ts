/** Latest transactions of a chain. */

import {
  ChainPath,
  defaultPageSize,
  pageSize,
  pageToken,
  status,
} from '../../shape/evm/parameters.ts'
import { NativeTransaction } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { posRange, rangeBefore } from '../../store/query/evm/position.ts'
import { latestTransactions } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import type { EvmParts } from './parts.ts'
import { nativeTransactions } from './transaction-views.ts'

const ListLatestTransactions = {
  id: 'listLatestTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/transactions',
  summary: 'Latest transactions of a chain, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainPath, query: Type.Object({ status, pageToken, pageSize }) },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Document B, endpoint 6. */
export function listLatestTransactions(parts: EvmParts): Operation {
  return operation(ListLatestTransactions, async ({ path, query }) => {
    const chain = parts.chains.find(path.chainId)
    const page = await numberedPage(parts.tokens, {
      route: ListLatestTransactions.id,
      subject: { chain: chain.facts.key },
      query,
      limit: query.pageSize ?? defaultPageSize,
      rows: (before, limit) =>
        latestTransactions(chain.store, {
          status: query.status,
          range: rangeBefore(posRange(undefined, undefined), before),
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}
