/** The reply of a JSON-RPC server made for a test: ids, and the form of single calls and batches. */

import { listOf, objectOf } from '../../../src/codec/evm/raw.ts'
import type { HttpRequest } from '../../../src/core/world.ts'

/** A call as a node receives it. */
export type NodeCall = {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The calls of a request's body, one or a batch. */
export function callsOf(body: HttpRequest['body']): {
  readonly calls: readonly NodeCall[]
  readonly isBatch: boolean
} {
  const parsed: unknown = JSON.parse(bodyText(body))
  const isBatch = Array.isArray(parsed)
  const calls = (isBatch ? listOf(parsed, 'batch') : [parsed]).map((value): NodeCall => {
    const { id, method, params } = objectOf(value, 'call')
    return { id, method: String(method), params: Array.isArray(params) ? params : [] }
  })
  return { calls, isBatch }
}

/** Text of the reply to a request; `answer` gives the `result` or `error` of a call. */
export async function replyText(
  body: HttpRequest['body'],
  answer: (call: NodeCall) => object | Promise<object>,
): Promise<string> {
  const { calls, isBatch } = callsOf(body)
  const replies = await Promise.all(
    calls.map(async (call) => ({ jsonrpc: '2.0', id: call.id, ...(await answer(call)) })),
  )
  return JSON.stringify(isBatch ? replies : replies[0])
}

/** The body of a request as text. */
export function bodyText(body: HttpRequest['body']): string {
  return typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8')
}
