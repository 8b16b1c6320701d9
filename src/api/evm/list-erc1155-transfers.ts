/** ERC-1155 transfers of an address. */

import { ChainAddressPath, AddressTransfersQuery } from '../../shape/evm/parameters.ts'
import { Erc1155Transfer } from '../../shape/evm/token-transfer.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc1155Transfer } from './transfer-views.ts'

const ListErc1155Transfers = {
  id: 'listErc1155Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc1155',
  summary: 'ERC-1155 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: AddressTransfersQuery },
  response: pageShape({ transactions: Type.Array(Erc1155Transfer) }),
} as const

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
