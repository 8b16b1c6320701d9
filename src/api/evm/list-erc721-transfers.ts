/** ERC-721 transfers of an address. */

import { ListErc721Transfers } from '../../shape/evm/list-erc721-transfers.ts'
import { operation, type Operation } from '../operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc721Transfer } from './transfer-views.ts'

/** Completes endpoints 1 and 2 of document B. */
export function listErc721Transfers(parts: EvmParts): Operation {
  return operation(ListErc721Transfers, ({ path, query }) =>
    addressTransfers(parts, {
      route: ListErc721Transfers.id,
      path,
      query,
      standard: 721,
      view: erc721Transfer,
    }),
  )
}
