/**
 * `/ext/bc/<chain>`: passes a request on to the chain's node, and keeps answers that never change.
 *
 * Acceptance is final, so what a node says of an accepted block holds for ever. A batch, and all
 * that concerns the newest state, goes to the node each time.
 */

import { clip } from '../core/bytes.ts'
import { Fault, faultOf } from '../core/fault.ts'
import { isObject, jsonOf } from '../core/json.ts'
import { WeighedMap } from '../core/weighed-map.ts'
import type { HttpReply, Transport } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { createSemaphore } from '../telemetry/semaphore.ts'
import type { Waits } from '../telemetry/waits.ts'
import type { NodeChain } from './alias-rules.ts'
import { type NodeReply, type NodeRequest, mediaTypeOf, textReply } from './node-http.ts'
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
  /** Answers that never change. */
  readonly cache: WeighedMap<string, string>
}

/** Parameters of {@link createRpcProxy}. */
export type RpcProxyParts = {
  readonly transport: Transport
  readonly waits: Waits
  readonly log: Log
  readonly timeoutMs: number
  readonly maxReplyBytes: number
  /** Methods handed on: the setting `node.rpcMethods`. */
  readonly allowed: AllowedMethods
}

// Some 30,000 receipts or 10,000 blocks: what a wallet or a page asks again and again.
const cacheBytes = 33_554_432

// A node's default number of HTTP/2 streams; more would only queue there.
const maxAtOnce = 64

/** A proxy with an empty cache. */
export function createRpcProxy(parts: RpcProxyParts): RpcProxy {
  const { transport, log, timeoutMs, maxReplyBytes, waits } = parts
  const places = createSemaphore({
    name: 'node requests',
    permits: maxAtOnce,
    waits,
    maxWaiting: 1_000,
  })
  // Two bytes a character, as V8 may hold them. No single one may push out more than a sixteenth of
  // the others.
  const cache = new WeighedMap<string, string>(
    { most: cacheBytes, largest: cacheBytes / 16 },
    (key, value) => 2 * (key.length + value.length),
  )

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
    const checked = checkedBody(request, parts.allowed)
    if ('status' in checked) return checked
    const call = chain.kind === 'evm' ? singleCall(checked) : undefined
    const key = call === undefined ? undefined : cacheKey(chain, call)
    const known = key === undefined ? undefined : cache.get(key)
    if (call !== undefined && known !== undefined) return resultReply(call, known)
    const reply = await post(chain.rpcUrls, checked, request.signal)
    if (call !== undefined && key !== undefined && reply.status === 200) {
      const result = lastingResult(chain, call, reply.body)
      if (result !== undefined) cache.set(key, result)
    }
    const type = reply.headers['content-type']
    return {
      status: reply.status,
      ...(type === undefined ? {} : { contentType: type }),
      body: reply.body,
    }
  }

  return { pass, post, cache }
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

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }

/** The call in a body of one call with an id, else `undefined`. */
function singleCall(body: Uint8Array): Call | undefined {
  const value = jsonOf(body)
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
  const { id, method, params = [] } = value
  // Another JavaScript number may be meant: such an id must come back as it was written.
  const plainId = typeof id === 'string' || (Number.isSafeInteger(id) && !Object.is(id, -0))
  if (!plainId || typeof method !== 'string' || !Array.isArray(params)) return undefined
  return { id, method, params }
}

/** Methods whose answer can be final, and how many parameters make it so. */
const lastingMethods: ReadonlyMap<string, 'always' | 'block' | 'transaction'> = new Map([
  ['eth_chainId', 'always'],
  ['net_version', 'always'],
  ['eth_getBlockByNumber', 'block'],
  ['eth_getBlockByHash', 'block'],
  ['eth_getTransactionByHash', 'transaction'],
  ['eth_getTransactionReceipt', 'transaction'],
])

function cacheKey(chain: NodeChain, { method, params }: Call): string | undefined {
  if (!lastingMethods.has(method)) return undefined
  const texts = params.every((value) => typeof value === 'string' || typeof value === 'boolean')
  if (!texts || params.length > 2) return undefined
  // A tag (`latest`) means another block later.
  if (method === 'eth_getBlockByNumber' && !/^0x[0-9a-f]+$/i.test(String(params[0])))
    return undefined
  return `${chain.network} ${chain.id} ${method} ${JSON.stringify(params).toLowerCase()}`
}

/** JSON of a result that will never change, else `undefined`. */
function lastingResult(chain: NodeChain, call: Call, body: Uint8Array): string | undefined {
  const value = jsonOf(body)
  if (!isObject(value) || value['error'] !== undefined) return undefined
  const result = value['result']
  const kind = lastingMethods.get(call.method)
  if (kind === 'always') return typeof result === 'string' ? JSON.stringify(result) : undefined
  if (!isObject(result)) return undefined
  const height = Number(kind === 'block' ? result['number'] : result['blockNumber'])
  const accepted = chain.acceptedHeight()
  const isFinal = accepted !== undefined && Number.isSafeInteger(height) && height <= accepted
  // A pending transaction has `blockNumber` null, which reads as 0.
  const isPlaced = typeof (kind === 'block' ? result['number'] : result['blockNumber']) === 'string'
  return isFinal && isPlaced ? JSON.stringify(result) : undefined
}

function resultReply({ id }: Call, result: string): NodeReply {
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`
  return { status: 200, contentType: 'application/json', body }
}
