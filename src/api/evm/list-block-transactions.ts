/** Transactions of a block. */

import { ChainBlockPath, pageToken } from '../../shape/evm/parameters.ts'
import { NativeTransaction } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { transactionsInOrder } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { namedBlock } from './block-views.ts'
import type { EvmParts } from './parts.ts'
import { nativeTransactions } from './transaction-views.ts'

const ListBlockTransactions = {
  id: 'getTransactionsForBlock',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks/{blockId}/transactions',
  summary: 'Transactions of a block, in block order',
  tag: 'EVM transactions',
  weight: 20,
  parameters: {
    path: ChainBlockPath,
    query: Type.Object({
      pageToken,
      pageSize: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          default: 0,
          description: 'Items per page; 0 is all of them',
        }),
      ),
    }),
  },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Transactions of a block in block order. A `pageSize` of 0, the default, is the whole block. */
export function listBlockTransactions(parts: EvmParts): Operation {
  return operation(ListBlockTransactions, async ({ path, query }) => {
    const chain = parts.chains.find(path.chainId)
    const block = await namedBlock(chain, path.blockId)
    const { from, until } = posRange(block.height, block.height + 1)
    const page = await numberedPage(parts.tokens, {
      route: ListBlockTransactions.id,
      subject: { chain: chain.facts.key, block: block.height },
      query,
      limit: query.pageSize === undefined || query.pageSize === 0 ? block.txCount : query.pageSize,
      rows: (last, limit) =>
        transactionsInOrder(chain.store, {
          range: { from: last === undefined ? from : last + 1, until },
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}
