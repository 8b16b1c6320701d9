/**
 * The second listener: administration, health, metrics and chains, as a node has them.
 *
 * It is for operators: loopback by default, no CORS, host names checked against DNS rebinding, and
 * `/ext/admin` only where it was enabled. It knows no route of the data API and indexes nothing.
 * Source of what is answered to odd requests: avalanchego api/server, recorded in `vectors/admin`.
 */

import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { Fault } from '../core/fault.ts'
import { isAllowedHost, isCrossSite } from '../core/web-request.ts'
import type { Clock } from '../core/world.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Log } from '../telemetry/log.ts'
import type { NodeReply } from './node-http.ts'
import { notFoundReply, textReply } from './node-http.ts'
import type { Route } from './route-table.ts'

/** What {@link createNodeServer} needs. */
export type NodeServerParts = {
  readonly host: string
  readonly port: number
  /** Host names answered to, `*` for all; addresses always are. */
  readonly allowedHosts: readonly string[]
  /** Our peer's `NodeID-…`, told in every reply where there is one. */
  readonly nodeId: string | undefined
  readonly find: (path: string) => Route | undefined
  /** The route of a chain named in the header `Avalanche-Api-Route`. */
  readonly findByHeader: (chain: string) => Route | undefined
  readonly clock: Clock
  readonly gauges: Gauges
  readonly log: Log
}

/** A listener that can be started once. */
export type NodeListener = {
  /** Starts to listen. Throws `address-taken` when the address cannot be had. */
  readonly listen: () => Promise<void>
  /** Stops to accept, gives requests under way ten seconds, then ends them. */
  readonly close: () => Promise<void>
  /** Where it listens: the port is the real one. `undefined` before {@link NodeListener.listen}. */
  readonly address: () => { readonly host: string; readonly port: number } | undefined
}

// Administration calls are short texts; a chain's RPC takes contract code and batches.
const maxBodyBytes = 65_536
const maxChainBodyBytes = 1_048_576

// Slow senders are cut off; see the guide, "Limits".
const requestTimeoutMs = 15_000
const headersTimeoutMs = 5_000
const drainMs = 10_000

/** A server over `find`. */
export function createNodeServer(parts: NodeServerParts): NodeListener {
  const { host, port, clock, log } = parts
  const closing = new AbortController()
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
    (incoming, outgoing) => {
      answer(incoming, outgoing, { ...parts, closing: closing.signal }).catch((error: unknown) => {
        log.error('node request failed', { error })
        outgoing.destroy()
      })
    },
  )
  server.maxConnections = 1_024
  server.maxRequestsPerSocket = 10_000

  return {
    listen: () => listenOn(server, host, port),
    address: () => {
      const found = server.address()
      return found === null || typeof found === 'string'
        ? undefined
        : { host: found.address, port: found.port }
    },
    close: async () => {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const drained = new AbortController()
      const late = clock.sleep(drainMs, drained.signal).then(
        () => {
          closing.abort(new Error('listener closes'))
          server.closeAllConnections()
        },
        () => undefined,
      )
      await Promise.race([closed, late])
      drained.abort()
      await closed
    },
  }
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      const what = `node.port is taken or not allowed: ${host}:${port}`
      reject(new Fault('address-taken', what, { cause: error }))
    }
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

type Answering = NodeServerParts & { readonly closing: AbortSignal }

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: Answering,
): Promise<void> {
  const began = parts.clock.monotonic()
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort(new Error('caller is gone')))
  const { reply, base } = await replyTo(incoming, gone.signal, parts)
  send(outgoing, reply, parts.nodeId)
  const status = String(reply.status)
  parts.gauges.add('firn_node_requests_total', 1, { base, status })
  const seconds = (parts.clock.monotonic() - began) / 1_000
  parts.gauges.observe('firn_node_request_seconds', seconds, { base })
  parts.log.debug('node request answered', { base, status, method: incoming.method })
}

type Answered = { readonly reply: NodeReply; readonly base: string }

async function replyTo(
  incoming: IncomingMessage,
  gone: AbortSignal,
  parts: Answering,
): Promise<Answered> {
  const none = (reply: NodeReply): Answered => ({ reply, base: 'none' })
  if (!isAllowedHost(incoming.headers.host ?? '', parts.allowedHosts)) {
    return none(textReply(403, 'invalid host specified\n'))
  }
  const { path, search } = targetOf(incoming.url ?? '/')
  const header = incoming.headers['avalanche-api-route']
  const named = Array.isArray(header) ? header[0] : header
  if (named === undefined && cleanPath(path) !== path) {
    return none({ status: 301, headers: { location: cleanPath(path) + search }, body: '' })
  }
  const route = named === undefined ? routeOf(path, parts) : parts.findByHeader(named)
  if (route === undefined) return none(named === undefined ? notFoundReply : emptyNotFound)
  const limit = route.base === 'bc' ? maxChainBodyBytes : maxBodyBytes
  const body = await readBody(incoming, limit)
  if (body === undefined) {
    return { reply: textReply(413, 'request body too large\n'), base: route.base }
  }
  const request = {
    method: incoming.method ?? 'GET',
    extension: route.extension,
    query: new URLSearchParams(search),
    contentType: incoming.headers['content-type'] ?? '',
    isCrossSite: isCrossSite(incoming.headers),
    body,
    signal: AbortSignal.any([gone, parts.closing]),
  }
  try {
    return { reply: await route.handler(request), base: route.base }
  } catch (error) {
    if (request.signal.aborted) return { reply: notFoundReply, base: route.base }
    if (!(error instanceof Fault)) throw error
    // A node behind a chain's route did not do its part.
    parts.log.debug('route failed', { base: route.base, error })
    return { reply: textReply(502, 'node did not answer\n'), base: route.base }
  }
}

const emptyNotFound: NodeReply = { status: 404, body: '' }

function routeOf(path: string, parts: Answering): Route | undefined {
  if (!path.startsWith('/ext/')) return undefined
  try {
    return parts.find(path.slice('/ext/'.length).split('/').map(decodeURIComponent).join('/'))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Path and query of a request target; of an absolute one, without scheme and host. */
function targetOf(url: string): { path: string; search: string } {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = local.indexOf('?')
  return mark === -1
    ? { path: local, search: '' }
    : { path: local.slice(0, mark), search: local.slice(mark) }
}

/** The path without empty, `.` and `..` segments; a slash at the end stays. */
function cleanPath(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : ''
  return `/${kept.join('/')}${slash}`
}

/** The whole body, or `undefined` when it is longer than `limit`. */
async function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return undefined
  const chunks: Buffer[] = []
  let size = 0
  // Left whole when the loop ends early: a destroyed request takes its reply with it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function send(outgoing: ServerResponse, reply: NodeReply, nodeId: string | undefined): void {
  outgoing.statusCode = reply.status
  outgoing.setHeader('vary', 'Origin')
  outgoing.setHeader('x-content-type-options', 'nosniff')
  if (nodeId !== undefined) outgoing.setHeader('node-id', nodeId)
  if (reply.contentType !== undefined) outgoing.setHeader('content-type', reply.contentType)
  for (const [name, value] of Object.entries(reply.headers ?? {})) outgoing.setHeader(name, value)
  // A body that was not read to its end would be taken for the next request.
  if (reply.status === 413) outgoing.setHeader('connection', 'close')
  outgoing.setHeader('content-length', Buffer.byteLength(reply.body))
  outgoing.end(reply.body)
}
