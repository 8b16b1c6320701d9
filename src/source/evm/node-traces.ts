/** Call traces from nodes: one block per request, because each is executed again. */

import { listOf } from '../../codec/evm/raw.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts'
import { isThrottle, mayLackTraceState, rpcCodes } from '../rpc/node-words.ts'
import { faultOfAnswer, heightText, type NodeRpc, type Read } from './node-call.ts'

/** Time for one transaction; the node's own default of 5 s is short for heavy ones. */
const tracer = { tracer: 'callTracer', timeout: '60s' } as const

/** A trace every node that traces at all can give, or refuse with another error than "unknown". */
export const traceProbe: RpcCall = {
  method: 'debug_traceBlockByNumber',
  params: ['latest', tracer],
}

/** Depth below its newest block to which a pruning node can trace. */
const prunedDepth = 128

/**
 * Answers of `debug_traceBlockByNumber` for each height of the range, in order; those before the
 * first that fails. At least one, else the fault of the first.
 */
export async function readTraces(rpc: NodeRpc, read: Read): Promise<unknown[]> {
  const blocks: unknown[] = []
  for (let height = read.range.from; height < read.range.until; height++)
    try {
      blocks.push(await traceOfBlock(rpc, read, height))
    } catch (error) {
      // The traces before it took long to read: the caller keeps them, requests the rest again and
      // meets the fault then.
      if (blocks.length > 0 && error instanceof Fault) break
      throw error
    }
  return blocks
}

async function traceOfBlock(rpc: NodeRpc, read: Read, height: number): Promise<unknown> {
  // The genesis block executes nothing; nodes refuse to trace it.
  if (height === 0) return []
  const call = blockCall(height)
  const answer = await rpc.slow(read.endpoint, call, read.signal)
  if (answer.kind === 'result' && answer.result !== null) {
    const list = listOf(answer.result, 'traces')
    return list.some(isFailedElement) ? traceOneByOne(rpc, read, height, answer) : list
  }
  if (answer.kind === 'error' && !fallsBack.includes(answer.error.code))
    throw traceFault(answer, call)
  if (answer.kind === 'error' && isThrottle(answer.error)) throw traceFault(answer, call)
  // One transaction that fails or takes too long fails the whole block.
  return traceOneByOne(rpc, read, height, answer)
}

function blockCall(height: number): RpcCall {
  return { method: 'debug_traceBlockByNumber', params: [heightText(height), tracer] }
}

/** Errors about the block as a whole that its transactions alone may not have. */
const fallsBack: readonly number[] = [rpcCodes.other, rpcCodes.tooLarge]

/** Traces a block whose trace as a whole failed with `whole`. */
async function traceOneByOne(
  rpc: NodeRpc,
  read: Read,
  height: number,
  whole: RpcAnswer,
): Promise<unknown> {
  const { endpoint, signal } = read
  const header = { method: 'eth_getBlockByNumber', params: [heightText(height), false] }
  const [block] = await rpc.all(endpoint, [header], signal)
  if (block?.kind !== 'result' || !isObject(block.result))
    throw new Fault('node-not-yet', `a node does not have the block: ${height}`)
  const traces: unknown[] = []
  for (const txHash of listOf(block.result['transactions'], 'transactions')) {
    const call = { method: 'debug_traceTransaction', params: [txHash, tracer] }
    const answer = await rpc.slow(endpoint, call, signal)
    if (answer.kind === 'error' || answer.result === null)
      throw failedTrace({ height, depth: endpoint.height - height, whole, answer, call })
    traces.push({ txHash, result: answer.result })
  }
  return traces
}

/** The result for a block that could be traced neither as a whole nor one by one. */
function failedTrace(of: {
  readonly height: number
  readonly depth: number
  readonly whole: RpcAnswer
  readonly answer: RpcAnswer
  readonly call: RpcCall
}): Fault {
  const { height, depth, whole, answer, call } = of
  // A node that traces blocks need not know the other method: that says nothing of its traces.
  const lacksMethod = answer.kind === 'error' && answer.error.code === rpcCodes.methodNotFound
  const last = lacksMethod ? whole : answer
  if (depth > prunedDepth && mayLackState(last))
    return new Fault('not-served', `a node has no state to trace height ${height}`, {
      detail: { height },
    })
  return lacksMethod ? noTrace(call) : traceFault(answer, call)
}

/**
 * Returns whether an error may mean that the state of an old block is gone. Nodes have many words
 * for it under one code; time that ran out has that code, too.
 */
function mayLackState(answer: RpcAnswer): boolean {
  return answer.kind === 'error' && mayLackTraceState(answer.error)
}

const differences = {
  tracer: 'prestateTracer',
  tracerConfig: { diffMode: true },
  timeout: tracer.timeout,
} as const

/** The most of a node's own words. */
const mostWords = 200

/**
 * Changes of the state by a transaction. Throws `node-refused` where the node does not trace transactions, `not-served`
 * for any other reason that it gives, such as a tracer that it does not have, or a state that is gone.
 */
export async function readStateChanges(
  rpc: NodeRpc,
  endpoint: Endpoint,
  txHash: string,
  signal: AbortSignal,
): Promise<unknown> {
  const call = { method: 'debug_traceTransaction', params: [txHash, differences] }
  const answer = await rpc.slow(endpoint, call, signal)
  if (answer.kind === 'result' && answer.result !== null) return answer.result
  if (answer.kind === 'result') throw noTrace(call)
  const fault = faultOfAnswer(answer, call)
  if (fault.code !== 'node-answer') throw fault
  const words = answer.error.message.slice(0, mostWords)
  throw new Fault('not-served', `the node gives no state changes of this transaction: ${words}`)
}

/**
 * A trace that fails says nothing about the node's blocks: it is requested again, without blame.
 */
function traceFault(answer: RpcAnswer, call: RpcCall): Fault {
  const plain = answer.kind === 'error' ? faultOfAnswer(answer, call) : undefined
  return plain === undefined || plain.code === 'node-answer' ? noTrace(call) : plain
}

function noTrace({ method }: RpcCall): Fault {
  return new Fault('node-not-yet', 'a node gives no trace', { detail: { method } })
}

/**
 * The lowest height in `(from, head]` whose block this endpoint traces, found by halving: what it
 * traces are its newest blocks. `from` when it traces that one, `undefined` when it traces nothing.
 * Throws what may pass.
 */
export async function lowestTraced(
  rpc: NodeRpc,
  endpoint: Endpoint,
  range: { readonly from: number; readonly head: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  const isTraced = async (height: number): Promise<boolean> => {
    const call = blockCall(height)
    const answer = await rpc.slow(endpoint, call, signal)
    if (answer.kind === 'result') return answer.result !== null
    if (answer.error.code === rpcCodes.methodNotFound || mayLackState(answer)) return false
    throw traceFault(answer, call)
  }
  if (await isTraced(range.from)) return range.from
  if (!(await isTraced(range.head))) return undefined
  let untraced = range.from
  let traced = range.head
  while (traced - untraced > 1) {
    const middle = Math.floor((untraced + traced) / 2)
    if (await isTraced(middle)) traced = middle
    else untraced = middle
  }
  // A node that keeps its newest states has lost the first of them by the second request.
  const isMoving = range.head - traced <= 2 * prunedDepth
  return isMoving ? traced + Math.floor((range.head - traced) / 4) : traced
}

function isFailedElement(element: unknown): boolean {
  return isObject(element) && element['result'] === undefined
}
