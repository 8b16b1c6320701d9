/**
 * Entry of the thread that owns the node listener's sockets.
 *
 * No request of the data API runs here, so health and metrics are answered while the main thread
 * is busy. Liveness is about the threads that must turn, not about this one.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setInterval as every } from 'node:timers'
import { parentPort, workerData } from 'node:worker_threads'

import { assert } from '../../core/fault.ts'
import { isAllowedHost, isCrossSite } from '../../core/web-request.ts'
import { limitConnections } from '../../http/connection-limits.ts'
import { createHttpServer } from '../../http/create-http-server.ts'
import { watchHeartbeats } from '../../telemetry/threads/heartbeat.ts'
import { joinThread } from '../../telemetry/threads/thread.ts'
import { healthRoutes } from '../health-route.ts'
import { targetOf, textReply, type NodeReply } from '../node-http.ts'
import type { RouteHandler } from '../route-table.ts'
import { createFigureBoard } from './figures.ts'
import type { ListenerData, ListenerReport, ListenerOrder } from './listener-messages.ts'

const parent = parentPort
assert(parent !== null, 'this file is the entry of a worker thread')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by node-listener.ts of this version
const data = workerData as ListenerData
const post = (report: ListenerReport, transfer: ArrayBuffer[] = []): void =>
  parent.postMessage(report, transfer)
const { log } = joinThread(data.link, () => performance.now())

// The longest of any route: what its own route takes the main thread checks.
const maxBodyBytes = 1_048_576

// Slow senders are cut off; see the guide, "Limits".
const requestTimeoutMs = 15_000
const headersTimeoutMs = 5_000
const drainMs = 10_000
const lingerMs = 1_000
const tooLarge = textReply(413, 'request body too large\n')

/** So that there are figures of late when the main thread hangs. */
const refreshEveryMs = 5_000
const lookEveryMs = 1_000

const watch = watchHeartbeats({ maxSilenceMs: data.maxSilenceMs, now: () => performance.now() })
const connections = limitConnections({
  limits: data.sockets,
  refusal: () =>
    'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  dropped: (reason) => post({ dropped: reason }),
})
const board = createFigureBoard(
  (refresh) => post({ refresh, unsentBytes: connections.unsentBytes() }),
  watch,
)
const health = healthRoutes({ answer: board.health }, log)
const passed = new Map<number, ServerResponse>()
let lastId = 0

const server = createHttpServer(
  {
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
  },
  connections.oneByOne((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      // A caller that goes away while sending need not be logged.
      if (!incoming.destroyed) log.error('node request failed', { error })
      outgoing.destroy()
    })
  }),
)
server.maxConnections = 1_024
server.maxRequestsPerSocket = 10_000
connections.attach(server)

const looking = every(watch.look, lookEveryMs)
const refreshing = every(() => void board.refresh(), refreshEveryMs)

parent.on('message', (order: ListenerOrder) => {
  if ('reply' in order) finish(order.to, (outgoing) => send(outgoing, order.reply))
  else if ('broke' in order) finish(order.broke, (outgoing) => outgoing.destroy())
  else if ('figures' in order) board.take(order.figures, order.to)
  else if ('heartbeats' in order) watch.watch(order.heartbeats)
  else void close()
})

server.once('error', (error) => post({ failed: error.message }))
server.listen(data.port, data.host, () => {
  const found = server.address()
  assert(found !== null && typeof found !== 'string', 'it listens on an address and a port')
  post({ listening: { host: found.address, port: found.port } })
})

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const began = performance.now()
  const body = await readBody(incoming)
  if (body === undefined) {
    refuseBody(incoming, outgoing)
    post({ answered: { base: 'none', status: 413, ms: performance.now() - began } })
    return
  }
  const own = ownRoute(incoming)
  if (own === undefined) {
    const id = ++lastId
    passed.set(id, outgoing)
    outgoing.once('close', () => {
      if (passed.delete(id)) post({ gone: id })
    })
    const { method = 'GET', url = '/', headers } = incoming
    post({ request: { id, method, url, headers, body } }, [body.buffer])
    return
  }
  // Facts about threads are known here; everything else is read from the main thread.
  if (own.extension !== '/liveness') await board.refresh()
  const reply = await own.handler({
    method: incoming.method ?? 'GET',
    extension: own.extension,
    query: new URLSearchParams(targetOf(incoming.url ?? '/').search),
    contentType: incoming.headers['content-type'] ?? '',
    isCrossSite: isCrossSite(incoming.headers),
    body,
    signal: new AbortController().signal,
  })
  const stamp = { 'x-figures-at': board.stamp(own.base) }
  send(outgoing, { ...reply, headers: { ...reply.headers, ...stamp } })
  const ms = performance.now() - began
  post({ answered: { base: own.base, status: reply.status, ms } })
}

type OwnRoute = {
  readonly base: 'health' | 'metrics'
  readonly extension: string
  readonly handler: RouteHandler
}

/**
 * The route that is answered here; any other spelling, and what is refused, is the main thread's.
 */
function ownRoute({ url = '/', headers }: IncomingMessage): OwnRoute | undefined {
  if (headers['avalanche-api-route'] !== undefined) return undefined
  if (!isAllowedHost(headers.host ?? '', data.allowedHosts)) return undefined
  const { path } = targetOf(url)
  if (path === '/ext/metrics') return { base: 'metrics', extension: '', handler: metrics }
  if (!path.startsWith('/ext/health')) return undefined
  const extension = path.slice('/ext/health'.length)
  const handler = health.get(extension)
  return handler === undefined ? undefined : { base: 'health', extension, handler }
}

function metrics(): NodeReply {
  const figures = board.metrics()
  if (figures === undefined) return textReply(503, 'no figures yet\n')
  return { status: 200, contentType: figures.contentType, body: figures.text }
}

function finish(id: number, end: (outgoing: ServerResponse) => void): void {
  const outgoing = passed.get(id)
  if (outgoing === undefined) return
  passed.delete(id)
  end(outgoing)
}

/** The whole body, or `undefined` when it is longer than any route takes. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  // Left whole when the loop ends early: a destroyed request takes its reply with it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  // A buffer of its own, to be handed over.
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Says that the body is too long, and reads on for a while: a connection that is closed with bytes
 * unread is reset, and the caller, still sending, does not learn why.
 */
function refuseBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { body } = tooLarge
  writeHead(outgoing, tooLarge)
  outgoing.write(body)
  const end = (): void => {
    outgoing.end()
  }
  const late = AbortSignal.timeout(lingerMs)
  late.addEventListener('abort', end, { once: true })
  incoming.once('end', end)
  outgoing.once('close', () => late.removeEventListener('abort', end))
  incoming.resume()
}

function send(outgoing: ServerResponse, reply: NodeReply): void {
  writeHead(outgoing, reply)
  outgoing.end(reply.body)
}

function writeHead(outgoing: ServerResponse, reply: NodeReply): void {
  outgoing.statusCode = reply.status
  outgoing.setHeader('vary', 'Origin')
  outgoing.setHeader('x-content-type-options', 'nosniff')
  if (data.nodeId !== undefined) outgoing.setHeader('node-id', data.nodeId)
  if (reply.contentType !== undefined) outgoing.setHeader('content-type', reply.contentType)
  for (const [name, value] of Object.entries(reply.headers ?? {})) outgoing.setHeader(name, value)
  // A body that was not read to its end would be taken for the next request.
  if (reply.status === 413) outgoing.setHeader('connection', 'close')
  outgoing.setHeader('content-length', Buffer.byteLength(reply.body))
}

/** Stops to accept, gives requests under way their time, then ends them and the thread. */
async function close(): Promise<void> {
  clearInterval(looking)
  clearInterval(refreshing)
  if (server.listening) {
    const late = AbortSignal.timeout(drainMs)
    late.addEventListener('abort', () => server.closeAllConnections(), { once: true })
    const { promise, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    server.closeIdleConnections()
    await promise
  }
  parent?.close()
  data.link.port.close()
}
