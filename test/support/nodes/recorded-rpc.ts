/** Recorded answers of a node of an EVM chain, served as a node that has no others. */

import { isObject } from '../../../src/core/json.ts'
import type { Transport } from '../../../src/core/world.ts'
import { linesOf, listParts, partKinds } from '../../../src/source/recorded/recording-file.ts'
import type { RpcCall } from '../../../src/source/rpc/json-rpc.ts'
import { replyText } from './json-rpc-reply.ts'

/** A call, and the `result` or `error` that a node answered. */
export type AnsweredCall = RpcCall & { readonly result?: unknown; readonly error?: unknown }

/** Name under which two calls are the same question: one that nobody sends has the same answer whatever its gas. */
export function questionOf({ method, params: [target, ...rest] }: RpcCall): string {
  const { gas, ...call } = isObject(target) ? target : {}
  const isOfNobody = isObject(target) && gas !== undefined && call['from'] === undefined
  return `${method} ${JSON.stringify([isOfNobody ? call : target, ...rest])}`
}

/** The answers beside the blocks of `file`, a recording of an EVM chain, over JSON-RPC at any address. */
export function answeringTransport(file: Uint8Array): Transport {
  const known = new Map(
    listParts(file)
      .filter(({ kind }) => kind === partKinds.answers)
      .flatMap((part) => linesOf(file, part))
      .map((line) => {
        const call = JSON.parse(line) as AnsweredCall
        return [questionOf(call), call]
      }),
  )
  const answer = (request: RpcCall): object => {
    const call = known.get(questionOf(request))
    const { result, error = call ? undefined : { code: -32000, message: 'not recorded' } } =
      call ?? {}
    return error === undefined ? { result } : { error }
  }
  return {
    request: async ({ body }) => {
      const text = await replyText(body, answer)
      return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
    },
  }
}
