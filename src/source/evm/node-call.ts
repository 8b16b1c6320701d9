/** Calls to an endpoint of an EVM chain, and the faults of what it answers. */

import { Fault } from '../../core/fault.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { HeightRange } from '../evm-source.ts'
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts'
import { faultOfError } from '../rpc/node-words.ts'

/** Calls to an endpoint; `slow` has the time a trace may take. */
export type NodeRpc = {
  readonly all: (
    endpoint: Endpoint,
    calls: readonly RpcCall[],
    signal: AbortSignal,
  ) => Promise<RpcAnswer[]>
  readonly slow: (endpoint: Endpoint, call: RpcCall, signal: AbortSignal) => Promise<RpcAnswer>
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number
}

/** A read of a range from one endpoint. */
export type Read = {
  readonly endpoint: Endpoint
  readonly range: HeightRange
  readonly signal: AbortSignal
}

/** The fault a node's error stands for where the caller expects an answer. */
export function faultOfAnswer(answer: RpcAnswer | undefined, call: RpcCall): Fault {
  if (answer?.kind !== 'error')
    return new Fault('node-answer', `a node's answer has no form: ${call.method}`)
  return faultOfError(call.method, answer.error)
}

/** `0x` form of a height. */
export function heightText(height: number): string {
  return `0x${height.toString(16)}`
}
