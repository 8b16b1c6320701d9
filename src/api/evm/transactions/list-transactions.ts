/** Transactions of a chain, a block and an address, and internal transactions of an address. */

import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { internalsOfAddress } from '../../../store/query/evm/internals.ts'
import { posRange, rangeBefore } from '../../../store/query/evm/position.ts'
import {
  latestTransactions,
  transactionsOfAddress,
  transactionsInOrder,
} from '../../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken, numberedPage } from '../../operation/paging.ts'
import { addressPage } from '../address-list.ts'
import { tracedHeaders } from '../answers.ts'
import { namedBlock } from '../chains/blocks.ts'
import type { EvmContext } from '../evm-context.ts'
import { toldViews } from './told-transactions.ts'
import { nativeTransactions, internalAddresses, internalTransaction } from './transaction-views.ts'

/** Document B, endpoint 6. */
export function listLatestTransactions(context: EvmContext): Operation<'listLatestTransactions'> {
  return operation(EvmTransactions.listLatestTransactions, async ({ path, query, signal }) => {
    const chain = context.chains.find(path.chainId)
    const page = await numberedPage(context.tokens, {
      route: EvmTransactions.listLatestTransactions.id,
      subject: { chain: chain.facts.key },
      query,
      rows: (before, limit) =>
        latestTransactions(chain.store, {
          status: query.status,
          range: rangeBefore(posRange(undefined, undefined), before),
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const views = await nativeTransactions(context, chain, page.rows)
    const told = { rows: page.rows, isWanted: query.summaries, signal }
    const transactions = [...(await toldViews(context, chain, told, views))]
    return { body: { ...nextToken(page), transactions } }
  })
}

/** Native transactions an address sent, received or was created by. */
export function listNativeTransactions(context: EvmContext): Operation<'listNativeTransactions'> {
  return operation(EvmTransactions.listNativeTransactions, async ({ path, query, signal }) => {
    const { methodHash } = query
    const { chain, page } = await addressPage(context, {
      route: EvmTransactions.listNativeTransactions.id,
      path,
      query,
      rows: transactionsOfAddress,
      fits:
        methodHash === undefined
          ? undefined
          : ({ selector, inputLength }) => inputLength >= 4 && selector === Number(methodHash),
    })
    const views = await nativeTransactions(context, chain, page.rows)
    const told = { rows: page.rows, isWanted: query.summaries, signal }
    const transactions = [...(await toldViews(context, chain, told, views))]
    return { body: { ...nextToken(page), transactions } }
  })
}

/** Told at once, where a page has no size. */
const mostTold = 100

/** Transactions of a block in block order. A `pageSize` of 0, the default, is the whole block. */
export function listBlockTransactions(context: EvmContext): Operation<'getTransactionsForBlock'> {
  return operation(EvmTransactions.getTransactionsForBlock, async ({ path, query, signal }) => {
    const chain = context.chains.find(path.chainId)
    const block = await namedBlock(chain, path.blockId)
    const { from, until } = posRange(block.height, block.height + 1)
    const page = await numberedPage(context.tokens, {
      route: EvmTransactions.getTransactionsForBlock.id,
      subject: { chain: chain.facts.key, block: block.height },
      query: { ...query, pageSize: query.pageSize === 0 ? undefined : query.pageSize },
      usualSize: query.summaries === true ? Math.min(mostTold, block.txCount) : block.txCount,
      rows: (last, limit) =>
        transactionsInOrder(chain.store, {
          range: { from: last === undefined ? from : last + 1, until },
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const views = await nativeTransactions(context, chain, page.rows)
    const told = { rows: page.rows, isWanted: query.summaries, signal }
    const transactions = [...(await toldViews(context, chain, told, views))]
    return { body: { ...nextToken(page), transactions } }
  })
}

/**
 * Document B, endpoint 4. `x-indexed-height` says how far traces are complete, and
 * `x-traces-indexed-height` also from where, or that there are none.
 */
export function listInternalTransactions(
  context: EvmContext,
): Operation<'listInternalTransactions'> {
  return operation(EvmTransactions.listInternalTransactions, async ({ path, query }) => {
    const { chain, page } = await addressPage(context, {
      route: EvmTransactions.listInternalTransactions.id,
      path,
      query,
      rows: internalsOfAddress,
    })
    const named = await context.addressBooks(chain).load(internalAddresses(page.rows))
    const transactions = page.rows.map((row) => internalTransaction(row, named))
    const { headers } = await tracedHeaders(chain)
    return { body: { ...nextToken(page), transactions }, headers }
  })
}
