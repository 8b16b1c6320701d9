/** ERC-20 transfers of an address. */

import { ChainAddressPath, AddressTransfersQuery } from '../../shape/evm/parameters.ts'
import { Erc20Transfer } from '../../shape/evm/token-transfer.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { heightOf } from '../../store/query/evm/position.ts'
import type { TransferRow } from '../../store/query/evm/transfers.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { addressTransfers } from './address-transfers.ts'
import type { EvmParts } from './parts.ts'
import { decimalText } from './text.ts'
import { erc20Transfer, type TransferViewer } from './transfer-views.ts'

const ListErc20Transfers = {
  id: 'listErc20Transactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc20',
  summary: 'ERC-20 transfers of an address, newest first',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: AddressTransfersQuery },
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

/** `{"nextPageToken":…,"transactions":[…]}`; the token is of letters that JSON leaves as they are. */
function erc20PageText(
  rows: readonly TransferRow[],
  viewer: TransferViewer,
  nextPageToken: string | undefined,
): string {
  let text = nextPageToken === undefined ? '{' : `{"nextPageToken":"${nextPageToken}",`
  text += '"transactions":['
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined) continue
    if (at > 0) text += ','
    text += erc20Text(row, viewer)
  }
  return `${text}]}`
}

function erc20Text(row: TransferRow, viewer: TransferViewer): string {
  const ms = row.timestampMs === undefined ? '' : `,"blockTimestampMilliseconds":${row.timestampMs}`
  return (
    `{"blockNumber":"${heightOf(row.pos)}","blockTimestamp":${row.timestamp}` +
    `,"blockHash":"${row.blockHash}","txHash":"${row.txHash}"${ms}` +
    `,"from":${viewer.partyText(row.fromId)},"to":${viewer.partyText(row.toId)}` +
    `,"logIndex":${row.logIndex},"value":"${decimalText(row.value)}"` +
    `,"erc20Token":${viewer.erc20Text(row)}}`
  )
}
