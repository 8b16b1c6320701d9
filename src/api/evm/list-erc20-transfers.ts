/** ERC-20 transfers of an address. */

import { ListErc20Transfers } from '../../shape/evm/list-erc20-transfers.ts'
import { operation, type Operation } from '../operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc20Transfer } from './transfer-views.ts'

/** Document B, endpoint 2. */
export function listErc20Transfers(parts: EvmParts): Operation {
  return operation(ListErc20Transfers, ({ path, query }) =>
    addressTransfers(parts, {
      route: ListErc20Transfers.id,
      path,
      query,
      standard: 20,
      view: erc20Transfer,
    }),
  )
}
