/** A node of a primary network that answers only calls that were recorded of another. */

import { Fault } from '../../../src/core/fault.ts'
import { isRefusal, type NodeApi, nodePaths } from '../../../src/source/primary/node-api.ts'
import { primaryPartKinds } from '../../../src/source/primary/recorded-source.ts'
import { linesOf, listParts } from '../../../src/source/recorded/recording-file.ts'
import { type Reply, replyOf } from '../../../src/source/rpc/node-text.ts'

/** "Method" under which the moment of recording stands, Unix seconds: locks are judged by it. */
export const clockMethod = 'clock'

/** An answer of the recorded node: the question's name, its parameters, the reply. */
export type RecordedAnswer = {
  readonly path: string
  readonly method: string
  readonly parameters: unknown
  readonly reply: unknown
}

/** The answers that `file`, a recording of a primary network, holds. */
export function answersIn(file: Uint8Array): readonly RecordedAnswer[] {
  return listParts(file)
    .filter(({ kind }) => kind === primaryPartKinds.answers)
    .flatMap((part) => linesOf(file, part))
    .map((line) => JSON.parse(line) as RecordedAnswer)
}

/** Moment of the recording, Unix seconds. */
export function recordedMoment(answers: readonly RecordedAnswer[]): number {
  const moment = answers.find(({ method }) => method === clockMethod)?.reply as { now: number }
  return moment.now
}

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
