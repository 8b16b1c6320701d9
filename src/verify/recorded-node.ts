/** A node that answers only calls that were recorded of another. */

import { Fault } from '../core/fault.ts'
import { isRefusal, type NodeApi, nodePaths } from '../source/primary/node-api.ts'
import type { RecordedAnswer } from '../source/primary/recorded-source.ts'
import { type Reply, replyOf } from '../source/rpc/node-text.ts'

/** Answers from `answers`. Throws `node-refused` for what was not recorded. */
export function recordedNode(answers: readonly RecordedAnswer[]): NodeApi {
  const known = new Map(
    answers.map(({ path, method, parameters, reply }) => [keyOf(path, method, parameters), reply]),
  )
  const find = (path: string, method: string, parameters: unknown): unknown => {
    const key = keyOf(path, method, parameters)
    if (!known.has(key))
      throw new Fault('node-refused', `the recording has no answer to: ${key.slice(0, 200)}`)
    return known.get(key)
  }
  const tryCall: NodeApi['tryCall'] = async (path, method, parameters) =>
    replyOf(find(path, method, parameters), 'item')
  const call = async (path: string, method: string, parameters: Reply): Promise<Reply> => {
    const reply = replyOf(find(path, method, parameters), 'item')
    if (isRefusal(reply)) throw new Fault('node-answer', `the recorded node refused: ${method}`)
    return reply
  }
  return {
    call,
    tryCall,
    callEvm: async (calls) =>
      calls.map(({ method, params }) => find(nodePaths.evm, method, params)),
  }
}

/**
 * A question as text. Addresses are requested in the order of their numbers, which depends on the
 * chain that was read first; to the node it is the same question in any order.
 */
function keyOf(path: string, method: string, parameters: unknown): string {
  const text = JSON.stringify(parameters, (name, value: unknown) =>
    name === 'addresses' && Array.isArray(value) ? value.map(String).toSorted() : value,
  )
  return `${path} ${method} ${text}`
}

// A node whose answers are kept.

/** Keeps every answer of `node` that passes. */
export function recordingNode(node: NodeApi, keep: (answer: RecordedAnswer) => void): NodeApi {
  return {
    call: async (path, method, parameters, signal) => {
      const reply = await node.call(path, method, parameters, signal)
      keep({ path, method, parameters, reply })
      return reply
    },
    tryCall: async (path, method, parameters, signal) => {
      const reply = await node.tryCall(path, method, parameters, signal)
      keep({ path, method, parameters, reply })
      return reply
    },
    callEvm: async (calls, signal) => {
      const replies = await node.callEvm(calls, signal)
      for (const [at, call] of calls.entries()) {
        const { method, params } = call
        keep({ path: nodePaths.evm, method, parameters: params, reply: replies[at] })
      }
      return replies
    },
  }
}
