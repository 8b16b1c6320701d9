/**
 * Whether receipts are those the header commits to.
 *
 * Catches altered statuses and amounts, lost and invented logs: whatever `check-block.ts` cannot,
 * because it agrees with itself.
 */

import { Fault } from '../../core/fault.ts'
import { hexBytes, hexQuantity, isHexOf } from './hex-bytes.ts'
import { hexNumberOr } from './hex.ts'
import { orderedRoot } from './ordered-root.ts'
import type { RawLog, RawReceipt, RawUnit } from './raw.ts'
import { listOf, objectOf } from './raw.ts'
import { encodeRlp } from './rlp.ts'
import type { Rlp } from './rlp.ts'

/**
 * Checks the receipts of a block against its header. Throws `node-answer`.
 *
 * Nothing is checked where execution comes after acceptance (saevm): there the header commits to
 * receipts of other blocks.
 */
export function checkReceipts(unit: RawUnit, height: number): void {
  const { block } = unit
  if (block.settledHeight !== undefined || block.receiptsRoot === undefined) return
  const root = receiptsRoot(unit.receipts)
  if (isHexOf(block.receiptsRoot, root)) return
  throw new Fault('node-answer', `receipts are not those of the header at height ${height}`, {
    detail: { height },
  })
}

/** Root a header commits to its receipts with. Throws `node-answer` for what is no receipt. */
export function receiptsRoot(receipts: readonly unknown[]): Uint8Array {
  return orderedRoot(receipts.map((receipt) => encodeReceipt(objectOf(receipt, 'receipt'))))
}

function encodeReceipt(
  receipt: RawReceipt & { readonly type?: unknown; readonly logsBloom?: unknown },
): Uint8Array {
  const logs = listOf(receipt.logs, 'logs').map((log): Rlp => encodeLog(objectOf(log, 'log')))
  const body = encodeRlp([
    quantity(receipt.status, 'status'),
    quantity(receipt.cumulativeGasUsed, 'cumulative gas'),
    bytesOf(receipt.logsBloom, 'logs bloom'),
    logs,
  ])
  const type = hexNumberOr(receipt.type, 0, 'receipt type')
  if (type === 0) return body
  const typed = new Uint8Array(body.length + 1)
  typed[0] = type
  typed.set(body, 1)
  return typed
}

function encodeLog(log: RawLog): Rlp {
  return [
    bytesOf(log.address, 'log address'),
    listOf(log.topics, 'topics').map((topic) => bytesOf(topic, 'topic')),
    bytesOf(log.data, 'log data'),
  ]
}

/** Big-endian bytes without leading zeros; zero is empty. */
function quantity(value: unknown, what: string): string {
  return present(hexQuantity(value), what)
}

function bytesOf(value: unknown, what: string): string {
  return present(hexBytes(value), what)
}

function present(bytes: string | undefined, what: string): string {
  if (bytes === undefined) throw new Fault('node-answer', `${what} is not hex`)
  return bytes
}
