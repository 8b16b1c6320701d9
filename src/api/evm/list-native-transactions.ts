/** Native transactions of an address. */

import { ChainAddressPath, AddressTransactionsQuery } from '../../shape/evm/parameters.ts'
import { NativeTransaction } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { transactionsOfAddress } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { addressPage } from './address-list.ts'
import type { EvmParts } from './parts.ts'
import { nativeTransactions } from './transaction-views.ts'

const ListNativeTransactions = {
  id: 'listNativeTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
  summary: 'Native transactions of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: AddressTransactionsQuery },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Native transactions an address sent, received or was created by. */
export function listNativeTransactions(parts: EvmParts): Operation {
  return operation(ListNativeTransactions, async ({ path, query }) => {
    const { methodHash } = query
    const { chain, page } = await addressPage(parts, {
      route: ListNativeTransactions.id,
      path,
      query,
      rows: transactionsOfAddress,
      fits:
        methodHash === undefined
          ? undefined
          : ({ selector, inputLength }) => inputLength >= 4 && selector === Number(methodHash),
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions } }
  })
}
