/**
 * State from one node, and whose failure it is when there is none.
 *
 * A call may fail by what its contract does: it burns all gas, takes all time, or gives more than is taken.
 * Nodes word that as they like. What fails alone, twice, while the node executes another call is the
 * contract's; any other failure is the node's.
 */

import { Fault } from '../../core/fault.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { StateAnswer, StateCall } from '../evm-source.ts'
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts'
import { isBytes, isQuantity, isTooLong } from '../rpc/node-text.ts'
import { contractFailure, mayLackHeight, meaningOfError } from '../rpc/node-words.ts'
import { faultOfAnswer, heightText, type NodeRpc } from './node-call.ts'

type Node = {
  readonly rpc: NodeRpc
  readonly endpoint: Endpoint
  readonly height: number | 'latest'
  readonly signal: AbortSignal
}

/** A call that no contract can make fail: of the identity precompile. Source: Yellow Paper, appendix E. */
const control = { to: `0x${'4'.padStart(40, '0')}`, data: '0x01' } as const

/** Failures that another call in the same request may have caused. */
const mayBeOfOne: ReadonlySet<string> = new Set(['node-unreachable', 'node-answer'])

/**
 * State after `height` for each call, in order.
 *
 * Throws `not-served` when the node no longer has the state of that height.
 */
export async function readState(node: Node, wanted: readonly StateCall[]): Promise<StateAnswer[]> {
  const calls = wanted.map((call) => rpcCall(node, call))
  const answers = await answersOf(node, calls)
  const unclear = answers.flatMap((answer, at) => (isUnclear(calls[at], answer) ? [at] : []))
  const isRunning = unclear.length > 0 && (await runs(node))
  if (isRunning)
    for (const at of unclear)
      [answers[at] = unanswered] = await answersOf(node, calls.slice(at, at + 1))
  const answered = answers.map((answer, at) => stateAnswer(answer, calls[at], isRunning))
  // One strange answer is the contract's; none at all is the node's, and another may have it.
  if (answered.length > 0 && answered.every(({ kind }) => kind === 'not-served'))
    throw new Fault('not-served', 'no node has the state of this height')
  return answered
}

function rpcCall({ height }: Node, { method, target, slot }: StateCall): RpcCall {
  const at = height === 'latest' ? height : heightText(height)
  return { method, params: slot === undefined ? [target, at] : [target, slot, at] }
}

/** An answer to each call: a request that fails as a whole is split until the call that fails it is alone. */
async function answersOf(node: Node, calls: readonly RpcCall[], tries = 2): Promise<RpcAnswer[]> {
  const { rpc, endpoint, signal } = node
  try {
    return await rpc.all(endpoint, calls, signal)
  } catch (error) {
    const isOfOne = error instanceof Fault && mayBeOfOne.has(error.code) && calls.every(isCall)
    if (!isOfOne || !(await runs(node))) throw error
  }
  if (calls.length === 1) return tries === 1 ? [unanswered] : answersOf(node, calls, tries - 1)
  const half = Math.ceil(calls.length / 2)
  const first = await answersOf(node, calls.slice(0, half))
  return [...first, ...(await answersOf(node, calls.slice(half)))]
}

/** A call whose answer never came. */
const unanswered: RpcAnswer = { kind: 'error', error: { code: 0, message: '' } }

/** Returns whether the node executes a call now, on the state of that height. */
async function runs(node: Node): Promise<boolean> {
  const { rpc, endpoint, signal } = node
  try {
    const call = rpcCall(node, { method: 'eth_call', target: control })
    const [answer] = await rpc.all(endpoint, [call], signal)
    return answer?.kind === 'result' && answer.result === control.data
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

function isCall({ method }: RpcCall): boolean {
  return method === 'eth_call'
}

/** Characters of a reason that is the node's own text. */
const mostWords = 200

/** Failures that the contract may have made, but that the node's words do not call so. */
const meanings: ReadonlySet<string> = new Set(['other', 'out-of-time', 'too-large'])

function isUnclear(call: RpcCall | undefined, answer: RpcAnswer): boolean {
  if (call === undefined || !isCall(call)) return false
  if (answer.kind === 'result') return isTooLong(answer.result)
  const { error } = answer
  return contractFailure(error) === undefined && meanings.has(meaningOfError(error))
}

function stateAnswer(
  answer: RpcAnswer,
  call: RpcCall = { method: '', params: [] },
  isRunning: boolean,
): StateAnswer {
  if (isRunning && isUnclear(call, answer)) {
    if (answer.kind === 'result') return { kind: 'reverted', reason: 'too much data' }
    // A precompile fails with words of its own.
    return { kind: 'reverted', reason: answer.error.message.slice(0, mostWords) || 'no answer' }
  }
  if (answer.kind === 'result') {
    const { result } = answer
    if (result === null || result === undefined)
      return { kind: 'not-served', reason: 'the node gives no value' }
    const isRight = call.method === 'eth_getBalance' ? isQuantity : isBytes
    if (isRight(result)) return { kind: 'value', value: result }
    throw new Fault('node-answer', `a node's answer cannot be read: ${call.method}`)
  }
  const { error } = answer
  const reason = contractFailure(error)
  if (reason !== undefined)
    return { kind: 'reverted', reason, ...(error.data !== undefined && { data: error.data }) }
  if (mayLackHeight(error))
    return { kind: 'not-served', reason: 'the node does not have this state' }
  throw faultOfAnswer(answer, call)
}
