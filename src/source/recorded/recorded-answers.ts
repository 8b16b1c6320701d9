/**
 * Recorded answers of a node, served as a node that has no others.
 *
 * A recording of an EVM chain holds these answers beside its blocks. They serve for comparing alone
 * (`firn verify --recording`); those of the demo's L1s come from another node than the blocks.
 */

import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { Transport } from '../../core/world.ts'
import type { RpcCall } from '../rpc/json-rpc.ts'
import { linesOf, listParts, partKinds, valueOfLine } from './recording-file.ts'

/** A call, and the `result` or `error` that a node answered. */
export type AnsweredCall = RpcCall & { readonly result?: unknown; readonly error?: unknown }

/** Name under which two calls are the same question. */
export function questionOf({ method, params }: RpcCall): string {
  return `${method} ${JSON.stringify(params)}`
}

/** The answers that `file`, a recording of an EVM chain, holds. Throws `bad-bytes`. */
export function recordedAnswers(file: Uint8Array): AnsweredCall[] {
  return listParts(file)
    .filter(({ kind }) => kind === partKinds.answers)
    .flatMap((part) => linesOf(file, part))
    .map((line) => {
      const call = valueOfLine(line)
      if (!isObject(call) || typeof call['method'] !== 'string' || !Array.isArray(call['params']))
        throw new Fault('bad-bytes', 'a recorded answer has another form')
      return { ...call, method: call['method'], params: call['params'] }
    })
}

/**
 * JSON-RPC over `answers`, whatever the address. Throws `node-refused` for calls that were not made
 * when they were recorded.
 */
export function answeringTransport(answers: readonly AnsweredCall[]): Transport {
  const known = new Map(answers.map((call) => [questionOf(call), call]))
  const answer = (request: unknown): unknown => {
    if (!isObject(request)) throw new Fault('bad-parameter', 'a call is not an object')
    const question = `${String(request['method'])} ${JSON.stringify(request['params'])}`
    const call = known.get(question)
    if (call === undefined)
      throw new Fault('node-refused', `the recording has no answer to: ${question.slice(0, 160)}`)
    const { result, error } = call
    const said = error === undefined ? { result } : { error }
    return { jsonrpc: '2.0', id: request['id'], ...said }
  }
  return {
    request: async ({ body }) => {
      const calls: unknown = JSON.parse(typeof body === 'string' ? body : '')
      const said = Array.isArray(calls) ? calls.map(answer) : answer(calls)
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(said)) }
    },
  }
}
