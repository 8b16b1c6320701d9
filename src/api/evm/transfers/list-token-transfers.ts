/** Transfers of a token contract. */

import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { transfersOfToken } from '../../../store/query/evm/transfers.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken } from '../../operation/paging.ts'
import { addressPage } from '../address-list.ts'
import type { EvmContext } from '../evm-context.ts'
import { transferView, transferViewer } from './transfer-views.ts'

/** Document B, endpoint 3. */
export function listTokenTransfers(context: EvmContext): Operation<'listTransfers'> {
  return operation(EvmTransactions.listTransfers, async ({ path, query }) => {
    const { tokenId } = query
    const { chain, page } = await addressPage(context, {
      route: EvmTransactions.listTransfers.id,
      path,
      query,
      rows: (store, { addressId, ...rest }) =>
        transfersOfToken(store, { tokenId: addressId, ...rest }),
      fits:
        tokenId === undefined
          ? undefined
          : ({ item }) => item !== undefined && BigInt(item) === BigInt(tokenId),
    })
    const viewer = await transferViewer(context, chain, page.rows)
    const transfers = page.rows.map((row) => transferView(row, viewer))
    return { body: { ...nextToken(page), transfers } }
  })
}
