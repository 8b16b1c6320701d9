/** Transfers of a token contract. */

import { standardOf } from '../../../codec/evm/columns/columns.ts'
import type {
  Erc1155Transfer,
  Erc20Transfer,
  Erc721Transfer,
} from '../../../shape/evm/token-transfer.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { type TransferRow, transfersOfToken } from '../../../store/query/evm/transfers.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken } from '../../operation/paging.ts'
import { addressPage } from '../address-list.ts'
import type { EvmContext } from '../evm-context.ts'
import {
  erc1155Transfer,
  erc20Transfer,
  erc721Transfer,
  type TransferViewer,
  transferViewer,
} from './transfer-views.ts'

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

/** Each log by its own form: one contract may log several standards. */
function transferView(
  row: TransferRow,
  viewer: TransferViewer,
): Erc20Transfer | Erc721Transfer | Erc1155Transfer {
  switch (standardOf(row.kind)) {
    case 721:
      return erc721Transfer(row, viewer)
    case 1155:
      return erc1155Transfer(row, viewer)
    default:
      return erc20Transfer(row, viewer)
  }
}
