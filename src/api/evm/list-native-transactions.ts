/** Native transactions of an address. */

import { ListNativeTransactions } from '../../shape/evm/list-native-transactions.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { transactionsOfAddress } from '../../store/query/evm/transactions-of-address.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken, positionPage } from './list-page.ts'
import { nativeTransactions } from './native-list.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader, subjectOf } from './subject.ts'

/** Native transactions an address sent, received or was created by. */
export function listNativeTransactions(parts: EvmParts): Operation {
  return operation(ListNativeTransactions, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const height = await heightHeader(chain)
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListNativeTransactions.id,
      subject: binding,
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(query.startBlock, query.endBlock),
      rows: async (range, limit) =>
        id === undefined ? [] : transactionsOfAddress(chain.store, { addressId: id, range, limit }),
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
