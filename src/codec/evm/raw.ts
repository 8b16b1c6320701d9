/**
 * Replies of nodes, as far as they are read: every field unproven.
 *
 * Guards only distinguish an object from other values; each field is checked where it is read.
 */

import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'

/** A header with full transactions, answer of `eth_getBlockByNumber(n, true)`. */
export type RawBlock = {
  readonly number?: unknown
  readonly hash?: unknown
  readonly parentHash?: unknown
  readonly timestamp?: unknown
  readonly timestampMilliseconds?: unknown
  readonly gasUsed?: unknown
  readonly gasLimit?: unknown
  readonly baseFeePerGas?: unknown
  readonly blockGasCost?: unknown
  readonly minDelayExcess?: unknown
  readonly settledHeight?: unknown
  readonly transactionsRoot?: unknown
  readonly receiptsRoot?: unknown
  readonly logsBloom?: unknown
  readonly transactions?: unknown
}

/** A transaction inside a block. */
export type RawTx = {
  readonly hash?: unknown
  readonly transactionIndex?: unknown
  readonly blockHash?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly value?: unknown
  readonly gas?: unknown
  readonly gasPrice?: unknown
  readonly maxFeePerGas?: unknown
  readonly maxPriorityFeePerGas?: unknown
  readonly nonce?: unknown
  readonly type?: unknown
  readonly input?: unknown
}

/** One element of `eth_getBlockReceipts`. */
export type RawReceipt = {
  readonly transactionHash?: unknown
  readonly transactionIndex?: unknown
  readonly blockHash?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly status?: unknown
  readonly contractAddress?: unknown
  readonly gasUsed?: unknown
  readonly cumulativeGasUsed?: unknown
  readonly effectiveGasPrice?: unknown
  readonly logs?: unknown
}

/** One log of a receipt. */
export type RawLog = {
  readonly address?: unknown
  readonly topics?: unknown
  readonly data?: unknown
  readonly logIndex?: unknown
}

/** One element of `debug_traceBlockByNumber` with the callTracer. */
export type RawTrace = {
  readonly txHash?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** A call frame. */
export type RawFrame = {
  readonly type?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly value?: unknown
  readonly gas?: unknown
  readonly gasUsed?: unknown
  readonly input?: unknown
  readonly error?: unknown
  readonly calls?: unknown
}

/** A block and its receipts as one node gave them. */
export type RawUnit = { readonly block: RawBlock; readonly receipts: readonly unknown[] }

/** A JSON object, or a `node-answer` fault. */
export function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new Fault('node-answer', `${what} is not an object`)
  return value
}

/** A JSON array, or a `node-answer` fault. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Fault('node-answer', `${what} is not a list`)
  return value
}
