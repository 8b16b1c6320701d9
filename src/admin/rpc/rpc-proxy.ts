/** `/ext/bc/<chain>`: passes a request on to the chain's node. Nothing is kept: nothing proves an answer. */

import { clip } from '../../core/bytes.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { HttpReply, Transport } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { createSemaphore } from '../../telemetry/threads/semaphore.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'
import type { NodeChain } from '../aliases/alias-rules.ts'
import { type NodeReply, type NodeRequest, mediaTypeOf, textReply } from '../node-http.ts'
import { callsIn, type AllowedMethods } from './rpc-methods.ts'

/** Passes requests on to nodes. */
export type RpcProxy = {
  readonly pass: (chain: NodeChain, request: NodeRequest) => Promise<NodeReply>
  /** POSTs JSON to a chain's node. Throws `node-unreachable` when no endpoint answers. */
  readonly post: (
    urls: readonly string[],
    body: Uint8Array,
    signal: AbortSignal,
  ) => Promise<HttpReply>
}

// A node's default number of HTTP/2 streams; more would only queue there.
const maxAtOnce = 64

/** A proxy over the node of each chain. */
export function createRpcProxy(options: {
  readonly transport: Transport
  readonly waits: Waits
  readonly log: Log
  readonly timeoutMs: number
  readonly maxReplyBytes: number
  /** Methods handed on: the setting `node.rpcMethods`. */
  readonly allowed: AllowedMethods
}): RpcProxy {
  const { transport, log, timeoutMs, maxReplyBytes, waits } = options
  const places = createSemaphore({
    name: 'node requests',
    permits: maxAtOnce,
    waits,
    maxWaiting: 1_000,
  })
  async function post(
    urls: readonly string[],
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<HttpReply> {
    let last: Fault | undefined
    for (const url of urls) {
      const headers = { 'content-type': 'application/json' }
      const request = { url, method: 'POST', headers, body, timeoutMs, signal } as const
      try {
        return await places.run(
          () => transport.request({ ...request, maxBytes: maxReplyBytes }),
          signal,
        )
      } catch (error) {
        const fault = faultOf(error)
        if (fault === undefined || signal.aborted) throw error
        log.debug('node request failed', { url, error })
        last = fault
      }
    }
    throw last ?? new Fault('node-unreachable', 'chain has no endpoint')
  }

  async function pass(chain: NodeChain, request: NodeRequest): Promise<NodeReply> {
    const checked = checkedBody(request, options.allowed)
    if ('status' in checked) return checked
    const reply = await post(chain.rpcUrls, checked, request.signal)
    const type = reply.headers['content-type']
    return { status: reply.status, contentType: type, body: reply.body }
  }

  return { pass, post }
}

/** The body to pass on, or the answer to a request that is not passed on. */
function checkedBody(request: NodeRequest, allowed: AllowedMethods): Uint8Array | NodeReply {
  if (request.method !== 'POST')
    return textReply(405, `rpc: POST method required, received ${request.method}`)
  if (request.isCrossSite) return textReply(403, 'requests of other sites are not passed on\n')
  if (mediaTypeOf(request) !== 'application/json') {
    const type = request.contentType.split(';')[0] ?? ''
    return textReply(415, `rpc: unrecognized Content-Type: ${type}`)
  }
  const read = callsIn(request.body)
  if (read === undefined)
    return errorReply(400, 'null', {
      code: -32_600,
      message: 'the body must be one call or a list of calls, each member named once',
    })
  const { calls, body } = read
  const other = calls.find(({ method }) => !allowed(method))
  if (other === undefined) return body
  return errorReply(200, calls.length === 1 ? other.id : 'null', {
    code: -32_601,
    message: `the method is not passed on, see the setting node.rpcMethods: ${clip(other.method)}`,
  })
}

/** `id` is JSON text, as it was sent. */
function errorReply(
  status: number,
  id: string,
  error: { readonly code: number; readonly message: string },
): NodeReply {
  const body = `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n`
  return { status, contentType: 'application/json', body }
}
