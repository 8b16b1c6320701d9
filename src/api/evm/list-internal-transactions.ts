/** Internal transactions of an address. */

import { ChainAddressPath, AddressListQuery } from '../../shape/evm/parameters.ts'
import { InternalTransaction } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { internalsOfAddress } from '../../store/query/evm/internals.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { addressPage } from './address-list.ts'
import { internalParties, internalTransaction } from './internal-views.ts'
import type { EvmParts } from './parts.ts'
import { tracedHeaders } from './traced.ts'

const ListInternalTransactions = {
  id: 'listInternalTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  summary: 'Internal transactions of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: AddressListQuery },
  response: pageShape({ transactions: Type.Array(InternalTransaction) }),
} as const

/**
 * Document B, endpoint 4. `x-indexed-height` tells how far traces are complete, and
 * `x-traces-indexed-height` also from where, or that there are none.
 */
export function listInternalTransactions(parts: EvmParts): Operation {
  return operation(ListInternalTransactions, async ({ path, query }) => {
    const { chain, page } = await addressPage(parts, {
      route: ListInternalTransactions.id,
      path,
      query,
      rows: internalsOfAddress,
    })
    const named = await parts.parties(chain).load(internalParties(page.rows))
    const transactions = page.rows.map((row) => internalTransaction(row, named))
    const { headers } = await tracedHeaders(chain)
    return { body: { ...nextToken(page), transactions }, headers }
  })
}
