/** Transactions of a block. */

import { ListBlockTransactions } from '../../shape/evm/list-block-transactions.ts'
import { transactionsInOrder } from '../../store/query/evm/latest-transactions.ts'
import { posRange } from '../../store/query/evm/position.ts'
import type { TransactionRow } from '../../store/query/evm/transaction-row.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, numberCursor, readPage, nextToken } from '../paging.ts'
import { namedBlock } from './block-views.ts'
import { nativeTransactions } from './native-list.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader } from './subject.ts'

/** Transactions of a block in block order. A `pageSize` of 0, the default, is the whole block. */
export function listBlockTransactions(parts: EvmParts): Operation {
  return operation(ListBlockTransactions, async ({ path, query }) => {
    const chain = parts.chains.find(path.chainId)
    const block = await namedBlock(chain, path.blockId)
    const { from, until } = posRange(block.height, block.height + 1)
    const page = await readPage<TransactionRow, number>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListBlockTransactions.id, {
        ...query,
        chain: chain.facts.key,
        block: block.height,
      }),
      limit: query.pageSize === undefined || query.pageSize === 0 ? block.txCount : query.pageSize,
      ...numberCursor,
      rows: (last, limit) =>
        transactionsInOrder(chain.store, {
          range: { from: last === undefined ? from : last + 1, until },
          limit,
        }),
      cursorOf: (row) => row.pos,
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions }, ...(await heightHeader(chain)) }
  })
}
