/** Internal transactions of an address. */

import { ListInternalTransactions } from '../../shape/evm/list-internal-transactions.ts'
import { internalsOfAddress } from '../../store/query/evm/internals-of-address.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { addressPage } from './address-list.ts'
import { internalParties, internalTransaction } from './internal-views.ts'
import type { EvmParts } from './parts.ts'
import { tracedHeaders } from './traced.ts'

/**
 * Document B, endpoint 4. `x-indexed-height` tells how far traces are complete, and
 * `x-traces-indexed-height` also from where, or that there are none.
 */
export function listInternalTransactions(parts: EvmParts): Operation {
  return operation(ListInternalTransactions, async ({ path, query }) => {
    const { chain, page, height } = await addressPage(parts, {
      route: ListInternalTransactions.id,
      path,
      query,
      stage: 'traces',
      rows: internalsOfAddress,
    })
    const named = await parts.parties(chain).load(internalParties(page.rows))
    const transactions = page.rows.map((row) => internalTransaction(row, named))
    const { headers } = await tracedHeaders(chain)
    return { body: { ...nextToken(page), transactions }, ...height, headers }
  })
}
