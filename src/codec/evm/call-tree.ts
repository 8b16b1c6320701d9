/** The callTracer's answer for one transaction as a list of calls, each before those inside it. */

import { toChecksumAddress } from '../../core/address.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { hexText } from './hex.ts'
import { listOf, objectOf, type RawFrame, type RawTrace } from './raw.ts'

/** A call. Amounts are base 10; addresses EIP-55. */
export type Call = {
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
  /** First four bytes of the input, `0x` hex; `undefined` for fewer, and for creations. */
  readonly selector: string | undefined
  readonly error: string | undefined
  /** It failed, or a call around it did. */
  readonly isReverted: boolean
}

type Waiting = { readonly frame: RawFrame; readonly depth: number; readonly isReverted: boolean }

/**
 * The first `most` calls of `trace`, and how many there are. Throws `node-answer` for what is no
 * trace, `node-not-yet` for an error in its place.
 */
export function callsOf(
  trace: RawTrace,
  most: number,
): { readonly calls: readonly Call[]; readonly count: number } {
  if (trace.result === undefined || trace.result === null)
    throw new Fault('node-not-yet', 'the node has no trace of this transaction')
  const calls: Call[] = []
  let count = 0
  const waiting: Waiting[] = [
    { frame: objectOf(trace.result, 'call frame'), depth: 0, isReverted: false },
  ]
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
  const input = typeof frame.input === 'string' ? frame.input : ''
  const creates = type.startsWith('CREATE')
  return {
    depth,
    type,
    from: addressOf(frame.from),
    to: frame.to === undefined || frame.to === null ? undefined : addressOf(frame.to),
    value: quantity(frame.value ?? '0x0', 'value'),
    gasLimit: quantity(frame.gas, 'gas'),
    gasUsed: quantity(frame.gasUsed, 'gas used'),
    selector: creates || input.length < 10 ? undefined : input.slice(0, 10).toLowerCase(),
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
