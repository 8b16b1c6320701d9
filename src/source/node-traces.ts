/** Call traces from nodes: one block per request, because each is executed again. */

import { isObject, listOf } from '../codec/evm/raw.ts'
import { Fault } from '../core/fault.ts'
import { isThrottle, rpcCodes } from './json-rpc.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'
import { faultOfAnswer, heightText } from './node-call.ts'
import type { Asker, Read } from './node-call.ts'

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
export async function readTraces(ask: Asker, read: Read): Promise<unknown[]> {
  const blocks: unknown[] = []
  for (let height = read.range.from; height < read.range.until; height++)
    try {
      blocks.push(await traceOfBlock(ask, read, height))
    } catch (error) {
      // What was traced took long; the caller asks for the rest again and meets the fault then.
      if (blocks.length > 0 && error instanceof Fault) break
      throw error
    }
  return blocks
}

async function traceOfBlock(ask: Asker, read: Read, height: number): Promise<unknown> {
  // The genesis block executes nothing; nodes refuse to trace it.
  if (height === 0) return []
  const call = { method: 'debug_traceBlockByNumber', params: [heightText(height), tracer] }
  const answer = await ask.slow(read.endpoint, call, read.signal)
  if (answer.kind === 'result' && answer.result !== null) {
    const list = listOf(answer.result, 'traces')
    return list.some(isFailedElement) ? traceOneByOne(ask, read, height) : list
  }
  if (answer.kind === 'error' && !fallsBack.includes(answer.error.code))
    throw traceFault(answer, call)
  if (answer.kind === 'error' && isThrottle(answer.error)) throw traceFault(answer, call)
  // One transaction that fails or takes too long fails the whole block.
  return traceOneByOne(ask, read, height)
}

/** Errors about the block as a whole that its transactions alone may not have. */
const fallsBack: readonly number[] = [rpcCodes.other, rpcCodes.tooLarge]

async function traceOneByOne(ask: Asker, read: Read, height: number): Promise<unknown> {
  const { endpoint, signal } = read
  const header = { method: 'eth_getBlockByNumber', params: [heightText(height), false] }
  const [block] = await ask.all(endpoint, [header], signal)
  if (block?.kind !== 'result' || !isObject(block.result))
    throw new Fault('node-not-yet', `a node does not have the block: ${height}`)
  const traces: unknown[] = []
  for (const txHash of listOf(block.result['transactions'], 'transactions')) {
    const call = { method: 'debug_traceTransaction', params: [txHash, tracer] }
    const answer = await ask.slow(endpoint, call, signal)
    if (answer.kind === 'error' || answer.result === null)
      throw endpoint.height - height > prunedDepth && answer.kind === 'error'
        ? withoutState(height, answer)
        : traceFault(answer, call)
    traces.push({ txHash, result: answer.result })
  }
  return traces
}

/** A trace that fails says nothing about the node's blocks: it is asked again, without blame. */
function traceFault(answer: RpcAnswer, call: RpcCall): Fault {
  const plain = answer.kind === 'error' ? faultOfAnswer(answer, call) : undefined
  return plain === undefined || plain.code === 'node-answer'
    ? new Fault('node-not-yet', 'a node gives no trace', { detail: { method: call.method } })
    : plain
}

/** A node that traces its newest blocks but not this old one keeps no history of state. */
function withoutState(height: number, answer: RpcAnswer): Fault {
  if (answer.kind === 'error' && answer.error.code !== rpcCodes.other)
    return faultOfAnswer(answer, { method: 'debug_traceTransaction', params: [] })
  return new Fault('node-refused', `a node has no state to trace height ${height}`, {
    detail: { height },
  })
}

function isFailedElement(element: unknown): boolean {
  return isObject(element) && element['result'] === undefined
}
