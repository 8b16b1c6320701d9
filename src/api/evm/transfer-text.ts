/**
 * Pages of ERC-20 transfers as JSON text, written straight from rows.
 *
 * A page of ten made of objects costs a third more than the page itself: ten views, thirty parties
 * and their way through `JSON.stringify`. Parties and tokens are the same again and again, so their
 * text is kept beside them in the party book. Byte for byte what `JSON.stringify` makes of
 * `erc20Transfer`; the service of the tests compares both for every page.
 */

import { heightOf } from '../../store/query/evm/position.ts'
import type { TransferRow } from '../../store/query/evm/transfer-row.ts'
import { decimalText } from './text.ts'
import type { TransferViewer } from './transfer-views.ts'

/** `{"nextPageToken":…,"transactions":[…]}`; the token is of letters that JSON leaves as they are. */
export function erc20PageText(
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
