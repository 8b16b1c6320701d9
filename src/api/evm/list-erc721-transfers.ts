/** ERC-721 transfers of an address. */

import { ChainAddressPath, AddressTransfersQuery } from '../../shape/evm/parameters.ts'
import { Erc721Transfer } from '../../shape/evm/token-transfer.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc721Transfer } from './transfer-views.ts'

const ListErc721Transfers = {
  id: 'listErc721Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc721',
  summary: 'ERC-721 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: AddressTransfersQuery },
  response: pageShape({ transactions: Type.Array(Erc721Transfer) }),
} as const

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
