/** Transactions of a chain, a block and an address, and internal transactions of an address. */

import {
  ChainPath,
  pageSize,
  pageToken,
  status,
  ChainAddressPath,
  AddressTransactionsQuery,
  ChainBlockPath,
  AddressListQuery,
} from '../../../shape/evm/parameters.ts'
import { NativeTransaction, InternalTransaction } from '../../../shape/evm/transaction.ts'
import { pageShape } from '../../../shape/page-shape.ts'
import { Type } from '../../../shape/type.ts'
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
import { nativeTransactions, internalAddresses, internalTransaction } from './transaction-views.ts'

const ListLatestTransactions = {
  id: 'listLatestTransactions',
  path: '/v1/chains/{chainId}/transactions',
  summary: 'Latest transactions of a chain, newest first',
  tag: 'EVM transactions',
  parameters: { path: ChainPath, query: Type.Object({ status, pageToken, pageSize }) },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Document B, endpoint 6. */
export function listLatestTransactions(context: EvmContext): Operation {
  return operation(ListLatestTransactions, async ({ path, query }) => {
    const chain = context.chains.find(path.chainId)
    const page = await numberedPage(context.tokens, {
      route: ListLatestTransactions.id,
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
    const transactions = await nativeTransactions(context, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}

const ListNativeTransactions = {
  id: 'listNativeTransactions',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
  summary: 'Native transactions of an address, newest first',
  tag: 'EVM transactions',
  parameters: { path: ChainAddressPath, query: AddressTransactionsQuery },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Native transactions an address sent, received or was created by. */
export function listNativeTransactions(context: EvmContext): Operation {
  return operation(ListNativeTransactions, async ({ path, query }) => {
    const { methodHash } = query
    const { chain, page } = await addressPage(context, {
      route: ListNativeTransactions.id,
      path,
      query,
      rows: transactionsOfAddress,
      fits:
        methodHash === undefined
          ? undefined
          : ({ selector, inputLength }) => inputLength >= 4 && selector === Number(methodHash),
    })
    const transactions = await nativeTransactions(context, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}

const ListBlockTransactions = {
  id: 'getTransactionsForBlock',
  path: '/v1/chains/{chainId}/blocks/{blockId}/transactions',
  summary: 'Transactions of a block, in block order',
  tag: 'EVM transactions',
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
export function listBlockTransactions(context: EvmContext): Operation {
  return operation(ListBlockTransactions, async ({ path, query }) => {
    const chain = context.chains.find(path.chainId)
    const block = await namedBlock(chain, path.blockId)
    const { from, until } = posRange(block.height, block.height + 1)
    const page = await numberedPage(context.tokens, {
      route: ListBlockTransactions.id,
      subject: { chain: chain.facts.key, block: block.height },
      query: { ...query, pageSize: query.pageSize === 0 ? undefined : query.pageSize },
      usualSize: block.txCount,
      rows: (last, limit) =>
        transactionsInOrder(chain.store, {
          range: { from: last === undefined ? from : last + 1, until },
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const transactions = await nativeTransactions(context, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}

const ListInternalTransactions = {
  id: 'listInternalTransactions',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  summary: 'Internal transactions of an address, newest first',
  tag: 'EVM transactions',
  parameters: { path: ChainAddressPath, query: AddressListQuery },
  response: pageShape({ transactions: Type.Array(InternalTransaction) }),
} as const

/**
 * Document B, endpoint 4. `x-indexed-height` says how far traces are complete, and
 * `x-traces-indexed-height` also from where, or that there are none.
 */
export function listInternalTransactions(context: EvmContext): Operation {
  return operation(ListInternalTransactions, async ({ path, query }) => {
    const { chain, page } = await addressPage(context, {
      route: ListInternalTransactions.id,
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
