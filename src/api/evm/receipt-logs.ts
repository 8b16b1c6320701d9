/** Logs of one transaction, which are not all stored: a node tells them. */

import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { heightOf, placeOf } from '../../store/query/evm/position.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

/** A log as the node gave it. */
export type ReceiptLog = Readonly<Record<string, unknown>>

/** Logs of the transaction at `pos`, in their order. Throws `not-served` while no node tells them. */
export async function receiptLogs(
  chain: ServedChain,
  pos: number,
  signal: AbortSignal,
): Promise<readonly ReceiptLog[]> {
  const receipts = await chain.receipts?.(heightOf(pos), signal)
  const receipt = receipts?.[placeOf(pos)]
  if (!isObject(receipt) || !Array.isArray(receipt['logs']))
    throw new Fault('not-served', 'logs need a node, and none answers now')
  return receipt['logs'].filter(isObject)
}
