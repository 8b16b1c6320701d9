/** ERC-1155 transfers of an address. */

import { ListErc1155Transfers } from '../../shape/evm/list-erc1155-transfers.ts'
import { operation, type Operation } from '../operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc1155Transfer } from './transfer-views.ts'

/** Document B, endpoint 1. */
export function listErc1155Transfers(parts: EvmParts): Operation {
  return operation(ListErc1155Transfers, ({ path, query }) =>
    addressTransfers(parts, {
      route: ListErc1155Transfers.id,
      path,
      query,
      standard: 1155,
      view: erc1155Transfer,
    }),
  )
}
