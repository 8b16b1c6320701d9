/** Reads of state from nodes: what a contract answers, and what a node can no longer tell. */

import { Fault } from '../core/fault.ts'
import type { Endpoint } from './endpoint.ts'
import type { StateAnswer, StateCall } from './evm-source.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'
import { faultOfAnswer, heightText, type Asker } from './node-call.ts'
import { isBytes, isQuantity } from './node-text.ts'
import { isContractFailure, mayLackHeight } from './node-words.ts'

/**
 * State after `height` for each call, in order.
 *
 * Throws `not-served` when the node no longer has the state of that height.
 */
export async function readState(
  ask: Asker,
  read: {
    readonly endpoint: Endpoint
    readonly calls: readonly StateCall[]
    readonly height: number | 'latest'
    readonly signal: AbortSignal
  },
): Promise<StateAnswer[]> {
  const at = read.height === 'latest' ? 'latest' : heightText(read.height)
  const calls = read.calls.map(({ method, target, slot }) => ({
    method,
    params: slot === undefined ? [target, at] : [target, slot, at],
  }))
  const answers = await ask.all(read.endpoint, calls, read.signal)
  const told = answers.map((answer, index) => stateAnswer(answer, calls[index]))
  // One strange answer is the contract's; none at all is the node's, and another may have it.
  if (told.length > 0 && told.every(({ kind }) => kind === 'not-served'))
    throw new Fault('not-served', 'no node has the state of this height')
  return told
}

function stateAnswer(answer: RpcAnswer, call: RpcCall | undefined): StateAnswer {
  if (answer.kind === 'result') {
    const { result } = answer
    if (result === null || result === undefined)
      return { kind: 'not-served', reason: 'the node gives no value' }
    const isRight = call?.method === 'eth_getBalance' ? isQuantity : isBytes
    if (isRight(result)) return { kind: 'value', value: result }
    throw new Fault('node-answer', `a node's answer cannot be read: ${call?.method}`)
  }
  if (isContractFailure(answer.error)) {
    const { data } = answer.error
    return data === undefined ? { kind: 'reverted' } : { kind: 'reverted', data }
  }
  if (mayLackHeight(answer.error))
    return { kind: 'not-served', reason: 'the node does not have this state' }
  throw faultOfAnswer(answer, call ?? { method: '', params: [] })
}
