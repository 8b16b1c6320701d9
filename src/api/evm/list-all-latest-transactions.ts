/** Latest transactions of all chains. */

import { NoPath, network, pageSize, pageToken, status } from '../../shape/evm/parameters.ts'
import { NativeTransaction } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { posOfHeight } from '../../store/query/evm/position.ts'
import { latestTransactions, type TransactionRow } from '../../store/query/evm/transactions.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { type ChainRow, pageAcross } from './across-chains.ts'
import type { EvmParts } from './parts.ts'
import { nativeTransactions } from './transaction-views.ts'

const ListAllLatestTransactions = {
  id: 'listLatestTransactionsAllChains',
  method: 'GET',
  path: '/v1/transactions',
  summary: 'Latest transactions of all chains, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: NoPath, query: Type.Object({ network, status, pageToken, pageSize }) },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Latest transactions of every chain served, by time of their blocks. */
export function listAllLatestTransactions(parts: EvmParts): Operation {
  return operation(ListAllLatestTransactions, async ({ query }) => {
    const { chains, page } = await pageAcross(parts, {
      route: ListAllLatestTransactions.id,
      query,
      source: {
        before: ({ store }, pos, limit) =>
          latestTransactions(store, {
            status: query.status,
            range: { from: 0, until: pos },
            limit,
          }),
        posOfHeight,
        posOf: ({ pos }) => pos,
      },
    })
    const transactions = await viewsAcross(parts, chains, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}

/** Views in the order of the page; each chain's rows are viewed together. */
async function viewsAcross(
  parts: EvmParts,
  chains: readonly ServedChain[],
  rows: readonly ChainRow<TransactionRow>[],
): Promise<NativeTransaction[]> {
  const views = new Map<TransactionRow, NativeTransaction>()
  for (const [at, chain] of chains.entries()) {
    const own = rows.filter((row) => row.chain === at).map(({ row }) => row)
    const shown = await nativeTransactions(parts, chain, own)
    for (const [index, view] of shown.entries()) {
      const row = own[index]
      if (row !== undefined) views.set(row, view)
    }
  }
  return rows.map(({ row }) => views.get(row)).filter((view) => view !== undefined)
}
