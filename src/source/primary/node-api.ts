/**
 * Calls to the APIs of an AvalancheGo node: platform, avm, avax, info, index and the C-Chain's RPC.
 *
 * Source: avalanchego vms/platformvm/service.go, vms/avm/service.go, api/info, api/indexer.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Transport } from '../../core/world.ts'
import { callAll, callOne, BatchSize, type RpcTarget } from '../rpc/json-rpc.ts'
import { type Reply, replyOf } from '../rpc/node-text.ts'
import { faultOfWords } from '../rpc/node-words.ts'

/** Calls a node. */
export type NodeApi = {
  /** One call with named parameters. Throws the faults of a stream ({@link faultOfWords}). */
  readonly call: (
    path: string,
    method: string,
    parameters: Reply,
    signal: AbortSignal,
  ) => Promise<Reply>
  /** The same where an error is an answer; its text is for deciding, never for showing. */
  readonly tryCall: (
    path: string,
    method: string,
    parameters: Reply,
    signal: AbortSignal,
  ) => Promise<Reply | { readonly refusal: string }>
  /** Calls of the C-Chain's RPC with positional parameters, in their order. */
  readonly callEvm: (
    calls: readonly { readonly method: string; readonly params: readonly unknown[] }[],
    signal: AbortSignal,
  ) => Promise<unknown[]>
}

/** Paths of the APIs. */
export const nodePaths = {
  P: '/ext/bc/P',
  X: '/ext/bc/X',
  cAtomic: '/ext/bc/C/avax',
  evm: '/ext/bc/C/rpc',
  info: '/ext/info',
  indexP: '/ext/index/P/block',
  indexX: '/ext/index/X/block',
  indexC: '/ext/index/C/block',
  indexEarly: '/ext/index/X/tx',
} as const

/** A client of one node. */
export function createNodeApi(options: {
  readonly transport: Transport
  /** Base address: APIs are under `/ext`. */
  readonly url: string
  readonly timeoutMs: number
  readonly maxReplyBytes: number
}): NodeApi {
  const base = options.url.replace(/\/+$/, '')
  // Nodes answer 404 for an API that is off, and for one of a chain that they have yet to start.
  const transport: Transport = {
    request: async (request) => {
      const reply = await options.transport.request(request)
      if (reply.status === 404)
        throw new Fault('node-refused', 'a node does not offer this API', {
          detail: { status: 404 },
        })
      return reply
    },
  }
  const target = (path: string): RpcTarget => ({ ...options, transport, url: `${base}${path}` })
  // Public nodes take 40 calls a batch.
  const batch = new BatchSize(40)

  const tryCall: NodeApi['tryCall'] = async (path, method, parameters, signal) => {
    const answer = await callOne(target(path), { method, params: [parameters] }, signal)
    if (answer.kind === 'error') return { refusal: answer.error.message }
    return replyOf(answer.result, method)
  }

  const call: NodeApi['call'] = async (path, method, parameters, signal) => {
    const reply = await tryCall(path, method, parameters, signal)
    if (isRefusal(reply)) throw faultOfWords(method, reply.refusal, 'stream')
    return reply
  }

  const callEvm: NodeApi['callEvm'] = async (calls, signal) => {
    const answers = await callAll(target(nodePaths.evm), calls, batch, signal)
    return answers.map((answer, at) => {
      const method = itemAt(calls, at).method
      if (answer.kind === 'result') return answer.result
      throw faultOfWords(method, answer.error.message, 'stream')
    })
  }

  return { call, tryCall, callEvm }
}

/** Returns whether a failed call met an API that is not there, or not there yet. */
export function isAbsence(error: unknown): boolean {
  const fault = faultOf(error)
  return fault?.code === 'node-refused' && fault.detail['status'] === 404
}

/** Returns whether a node refused a call of {@link NodeApi.tryCall}. */
export function isRefusal(
  reply: Reply | { readonly refusal: string },
): reply is { readonly refusal: string } {
  return typeof reply['refusal'] === 'string'
}
