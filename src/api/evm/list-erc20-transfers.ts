/** ERC-20 transfers of an address. */

import { ChainAddressPath } from '../../shape/evm/path.ts'
import { BlockRangeQuery } from '../../shape/evm/query.ts'
import { Erc20Transfer } from '../../shape/evm/token-transfer.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { erc20PageText } from './transfer-text.ts'
import { erc20Transfer } from './transfer-views.ts'

const ListErc20Transfers = {
  id: 'listErc20Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc20',
  summary: 'ERC-20 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: BlockRangeQuery },
  response: pageShape({ transactions: Type.Array(Erc20Transfer) }),
} as const

/** Document B, endpoint 2. */
export function listErc20Transfers(parts: EvmParts): Operation {
  return operation(ListErc20Transfers, ({ path, query }) =>
    addressTransfers(parts, {
      route: ListErc20Transfers.id,
      path,
      query,
      standard: 20,
      view: erc20Transfer,
      text: erc20PageText,
    }),
  )
}
