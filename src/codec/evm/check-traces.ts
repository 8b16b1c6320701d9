/**
 * Rules that traces of a block and its transactions, which hashes have proven, must keep: one
 * trace for each, and a top frame that says what the transaction and its receipt say.
 *
 * Inner frames are under no hash: what a node says of them can only be compared with another's.
 */

import { equalBytes } from '../../core/bytes.ts'
import { differing } from './check-derived.ts'
import { equalsHex, hexBytes, hexQuantity, isHexOf } from './hex-bytes.ts'
import { hexNumberClamped } from './hex.ts'
import { type RawFrame, type RawTrace, listOf, objectOf } from './raw.ts'

/** A stored transaction, as far as its trace repeats it. */
export type TracedTransaction = {
  readonly hash: Uint8Array
  readonly from: Uint8Array
  /** Receiver, or in a creation the created contract; absent when a creation failed. */
  readonly to: Uint8Array | undefined
  /** Big-endian, without leading zeros. */
  readonly value: Uint8Array
  readonly gasUsed: number
}

/** True when receipts may charge more gas than was used, as where execution comes later (saevm). */
export type GasRule = 'equal' | 'at-most'

/**
 * Checks the traces of the block at `height` against its transactions, in order. Throws
 * `node-answer`. A transaction without a trace is for the decoder to judge.
 */
export function checkTraces(
  traces: unknown,
  transactions: readonly TracedTransaction[],
  of: { readonly height: number; readonly gas: GasRule },
): void {
  const all = listOf(traces, 'traces of a block')
  if (all.length !== transactions.length) throw differing('number of traces', of.height)
  for (const [index, transaction] of transactions.entries()) {
    const trace: RawTrace = objectOf(all[index], 'trace')
    const { txHash } = trace
    // Older nodes leave it out.
    if (txHash !== undefined && !equalsHex(txHash, transaction.hash, 0))
      throw differing('transaction of a trace', of.height)
    if (trace.result === undefined || trace.result === null) continue
    checkTop(objectOf(trace.result, 'call frame'), transaction, of)
  }
}

function checkTop(
  frame: RawFrame,
  { from, to, value, gasUsed }: TracedTransaction,
  { height, gas }: { readonly height: number; readonly gas: GasRule },
): void {
  if (!isHexOf(frame.from, from)) throw differing('sender of a trace', height)
  if (to !== undefined && frame.to !== undefined && !isHexOf(frame.to, to))
    throw differing('receiver of a trace', height)
  if (!isQuantity(frame.value ?? '0x0', value)) throw differing('value of a trace', height)
  const used = hexNumberClamped(frame.gasUsed, 'gas used')
  if (gas === 'equal' ? used !== gasUsed : used > gasUsed)
    throw differing('gas used of a trace', height)
}

function isQuantity(told: unknown, wanted: Uint8Array): boolean {
  const digits = hexQuantity(told)
  const bytes = digits === undefined ? undefined : hexBytes(digits)
  if (bytes === undefined || bytes.length !== 2 + wanted.length * 2) return false
  return wanted.length === 0 || equalBytes(Buffer.from(bytes.slice(2), 'hex'), wanted)
}
