/** Native transactions of an address. */

import { ListNativeTransactions } from '../../shape/evm/list-native-transactions.ts'
import { transactionsOfAddress } from '../../store/query/evm/transactions-of-address.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { addressPage } from './address-list.ts'
import { nativeTransactions } from './native-list.ts'
import type { EvmParts } from './parts.ts'

/** Native transactions an address sent, received or was created by. */
export function listNativeTransactions(parts: EvmParts): Operation {
  return operation(ListNativeTransactions, async ({ path, query }) => {
    const { chain, page, height } = await addressPage(parts, {
      route: ListNativeTransactions.id,
      path,
      query,
      rows: transactionsOfAddress,
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
