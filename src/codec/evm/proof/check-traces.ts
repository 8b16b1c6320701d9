/**
 * Rules that traces of a block and its transactions, which hashes have proven, must keep: one
 * trace for each, and a top frame that says what the transaction and its receipt say.
 *
 * Inner frames are under no hash: what a node says of them can only be compared with another's.
 */

import { toChecksumAddress } from '../../../core/address.ts'
import { equalBytes, fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { hexBytes, hexQuantity, isHexOf, hexNumberClamped, hexText } from '../hex.ts'
import { type RawFrame, type RawTrace, listOf, objectOf } from '../raw.ts'
import { differing } from './check-receipts.ts'

/** A stored transaction, as far as its trace repeats it. */
type TracedTransaction = {
  readonly hash: Uint8Array
  readonly from: Uint8Array
  /** Receiver, or in a creation the created contract; absent when a creation failed. */
  readonly to: Uint8Array | undefined
  readonly isFailedCreation: boolean
  /** Big-endian, without leading zeros. */
  readonly value: Uint8Array
  readonly gasUsed: number
}

/** True when receipts may charge more gas than was used, as where execution comes later (saevm). */
export type GasRule = 'equal' | 'at-most'

/**
 * Checks the traces of the block at `height` against its transactions, in order, and gives them with each one's own
 * gas. Throws `node-answer`. A transaction without a trace is for the decoder to judge.
 */
export function checkTraces(
  traces: unknown,
  transactions: readonly TracedTransaction[],
  of: { readonly height: number; readonly gas: GasRule },
): readonly RawTrace[] {
  const all = listOf(traces, 'traces of a block')
  if (all.length !== transactions.length) throw differing('number of traces', of.height)
  let before = 0
  return transactions.map((transaction, index) => {
    const trace: RawTrace = objectOf(all[index], 'trace')
    const { txHash } = trace
    // Older nodes leave it out.
    if (txHash !== undefined && !isHexOf(txHash, transaction.hash))
      throw differing('transaction of a trace', of.height)
    const { gasUsed } = transaction
    before += gasUsed
    if (trace.result === undefined || trace.result === null) return trace
    const top: RawFrame = objectOf(trace.result, 'call frame')
    // anvil counts from the first transaction of the block on.
    const isSum = before > gasUsed && hexNumberClamped(top.gasUsed, 'gas used') === before
    const frame = isSum ? { ...top, gasUsed: `0x${gasUsed.toString(16)}` } : top
    checkTop(frame, transaction, of)
    return isSum ? { ...trace, result: frame } : trace
  })
}

function checkTop(
  frame: RawFrame,
  { from, to, value, gasUsed, isFailedCreation }: TracedTransaction,
  { height, gas }: { readonly height: number; readonly gas: GasRule },
): void {
  const used = hexNumberClamped(frame.gasUsed, 'gas used')
  if (gas === 'equal' ? used !== gasUsed : used > gasUsed)
    throw differing('gas used of a trace', height)
  if (isFailedCreation && isNeverEntered(frame)) return
  if (!isHexOf(frame.from, from)) throw differing('sender of a trace', height)
  if (to !== undefined && frame.to !== undefined && !isHexOf(frame.to, to))
    throw differing('receiver of a trace', height)
  if (!isQuantity(frame.value ?? '0x0', value)) throw differing('value of a trace', height)
}

/**
 * Returns whether a frame is the empty one of a tracer that was never told of a call. The EVM refuses a
 * creation before it begins: of a sender whom the list of deployers does not allow, at an address of a
 * precompile, or where a contract lies already. Calls always begin, also those of precompiles.
 *
 * Source: libevm core/vm/evm.go `create`, eth/tracers/native/call.go.
 */
function isNeverEntered(frame: RawFrame): boolean {
  const { type, from, gas, input, gasUsed: _, ...others } = frame
  const isEmpty = type === 'STOP' && gas === '0x0' && input === '0x'
  return isEmpty && from === noSender && Object.values(others).every((value) => value === undefined)
}

const noSender = `0x${'0'.repeat(40)}`

function isQuantity(given: unknown, wanted: Uint8Array): boolean {
  const digits = hexQuantity(given)
  const bytes = digits === undefined ? undefined : hexBytes(digits)
  if (bytes === undefined || bytes.length !== 2 + wanted.length * 2) return false
  return wanted.length === 0 || equalBytes(Buffer.from(bytes.slice(2), 'hex'), wanted)
}

/** A call. Amounts are base 10; addresses EIP-55. */
type Call = {
  /** 0: the transaction itself; 1: what it called. */
  readonly depth: number
  /** As the tracer names it: `CALL`, `DELEGATECALL`, `STATICCALL`, `CREATE2` and others. */
  readonly type: string
  readonly from: string
  /** Absent where a creation failed. */
  readonly to: string | undefined
  readonly value: string
  readonly gasLimit: string
  readonly gasUsed: string
  /** At least four bytes, `0x` hex; `undefined` for fewer, and for creations. */
  readonly input: string | undefined
  readonly error: string | undefined
  /** It failed, or a call around it did. */
  readonly isReverted: boolean
}

type Waiting = { readonly frame: RawFrame; readonly depth: number; readonly isReverted: boolean }

/**
 * The first `most` calls of the trace of a transaction that used `gas`, and their number. Throws `node-answer` where
 * `trace` is not one, `node-not-yet` for an error in its place.
 */
export function callsOf(
  trace: RawTrace,
  { most, gas }: { readonly most: number; readonly gas: number },
): { readonly calls: readonly Call[]; readonly count: number } {
  if (trace.result === undefined || trace.result === null)
    throw new Fault('node-not-yet', 'the node has no trace of this transaction')
  const calls: Call[] = []
  let count = 0
  const given: RawFrame = objectOf(trace.result, 'call frame')
  // As in `checkTraces`.
  const isOfBlock = hexNumberClamped(given.gasUsed, 'gas used') > gas
  const top = isOfBlock ? { ...given, gasUsed: `0x${gas.toString(16)}` } : given
  const waiting: Waiting[] = isNeverEntered(top)
    ? []
    : [{ frame: top, depth: 0, isReverted: false }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { frame, depth } = next
    const isReverted = next.isReverted || typeof frame.error === 'string'
    if (count++ < most) calls.push(callOf({ frame, depth, isReverted }))
    if (frame.calls === undefined || frame.calls === null) continue
    for (const inner of listOf(frame.calls, 'calls').toReversed())
      waiting.push({ frame: objectOf(inner, 'call frame'), depth: depth + 1, isReverted })
  }
  return { calls, count }
}

function callOf({ frame, depth, isReverted }: Waiting): Call {
  const type = typeof frame.type === 'string' ? frame.type : 'UNKNOWN'
  const input = hexBytes(frame.input)?.toLowerCase() ?? ''
  const isCall = !type.startsWith('CREATE') && /^0x[0-9a-f]{8,}$/.test(input)
  return {
    depth,
    type,
    from: addressOf(frame.from),
    to: frame.to === undefined || frame.to === null ? undefined : addressOf(frame.to),
    value: quantity(frame.value ?? '0x0', 'value'),
    gasLimit: quantity(frame.gas, 'gas'),
    gasUsed: quantity(frame.gasUsed, 'gas used'),
    input: isCall ? input : undefined,
    error: typeof frame.error === 'string' ? frame.error : undefined,
    isReverted,
  }
}

function addressOf(value: unknown): string {
  const text = hexText(value, 'address of a call')
  if (text.length !== 42) throw new Fault('node-answer', 'address of a call has a wrong length')
  return toChecksumAddress(fromHex(text))
}

function quantity(value: unknown, what: string): string {
  const text = hexText(value, what)
  if (!/^0x[0-9a-f]{1,64}$/i.test(text)) throw new Fault('node-answer', `no number: ${what}`)
  return BigInt(text).toString()
}
