/** Internal transactions of an address. */

import { ListInternalTransactions } from '../../shape/evm/list-internal-transactions.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { internalsOfAddress } from '../../store/query/evm/internals-of-address.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { operation, type Operation } from '../operation.ts'
import { internalParties, internalTransaction } from './internal-views.ts'
import { nextToken, positionPage } from './list-page.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader, subjectOf } from './subject.ts'

/** Document B, endpoint 4. `x-indexed-height` tells how far traces are complete. */
export function listInternalTransactions(parts: EvmParts): Operation {
  return operation(ListInternalTransactions, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const height = await heightHeader(chain, 'traces')
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListInternalTransactions.id,
      subject: binding,
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(query.startBlock, query.endBlock),
      rows: async (range, limit) =>
        id === undefined ? [] : internalsOfAddress(chain.store, { addressId: id, range, limit }),
    })
    const named = await parts.parties(chain).load(internalParties(page.rows))
    const transactions = page.rows.map((row) => internalTransaction(row, named))
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
