/** Messages of a webhook as Server-Sent Events and over a WebSocket. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { Fault, faultOf } from '../../core/fault.ts'
import { inTime } from '../../core/in-time.ts'
import { acceptOf, closeCodes, TellingSocket } from '../../http/web-socket.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Caller } from '../operation/caller.ts'
import { errorBody, errorWords, publicWords, statusOf } from '../operation/status.ts'
import type { AdmissionRequest } from '../server/admission-request.ts'
import { admitListener, heard, type Listener, listenId } from './listening.ts'
import type { EventParts } from './parts.ts'
import { beginEvents } from './stream-head.ts'

/** Parts of the server that streams need. */
export type StreamParts = {
  readonly events: EventParts
  readonly log: Log
  /** Compute units of a stream, as those of a list. */
  readonly admit: (request: AdmissionRequest) => unknown
  readonly callerOf: (request: AdmissionRequest) => Caller
  readonly addressOf: (request: IncomingMessage) => string
  /** The lane of a request is free again: what follows is sent as it comes. */
  readonly release: (request: IncomingMessage) => void
  /** Hands the bytes of an upgraded socket to `take` alone. */
  readonly handOver: (socket: Duplex, take: (chunk: Buffer) => void) => void
  /** Why this page or host may not open a socket; `undefined` where it may. */
  readonly refusalOf: (request: IncomingMessage) => string | undefined
  /** Longest time a caller may need to take what was sent. */
  readonly sendTimeoutMs: number
}

const weight = 20
const ssePath = '/v1/webhooks/:id/events'
const socketPath = /^\/v1\/webhooks\/([^/?]{1,64})\/socket$/

/** Returns whether a request asks for the socket of a webhook. */
export function isSocketRequest(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && socketPath.test(pathOf(request))
}

/** Adds both to a server. Returns the function that ends every stream. */
export function mountStreams(http: FastifyInstance, parts: StreamParts): () => void {
  const over = new AbortController()
  http.route({
    method: 'GET',
    url: ssePath,
    exposeHeadRoute: false,
    handler: (request, reply) => answerEvents(parts, { request, reply }, over.signal),
  })
  http.server.on('upgrade', (request, socket) => {
    void answerSocket(parts, { request, socket }, over.signal)
  })
  return () => over.abort()
}

async function answerEvents(
  parts: StreamParts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  over: AbortSignal,
): Promise<void> {
  const query = queryOf(request.raw)
  const asked = admissionOf(parts, request.raw, query)
  let listener: Listener
  try {
    parts.admit(asked)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router gives text by name
    const { id } = request.params as { readonly id: string }
    const last = request.headers['last-event-id']
    listener = await admitListener(parts.events, {
      id,
      caller: parts.callerOf(asked),
      after: typeof last === 'string' ? last : query.get('lastEventId'),
      from: query.get('from'),
    })
  } catch (error) {
    const { status, words } = refusalOf(parts, error)
    await reply.code(status).send(errorBody(status, words))
    return
  }
  reply.hijack()
  parts.release(request.raw)
  const { raw } = reply
  beginEvents(raw)
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  await tell(parts, { listener, signal: AbortSignal.any([over, gone.signal]) }, async (one) => {
    const text =
      one === 'quiet'
        ? ': quiet\n\n'
        : `id: ${listenId(one)}\nevent: ${listener.webhook.body.eventType}\ndata: ${one.body}\n\n`
    if (!raw.write(text)) await drained(parts, raw, gone.signal)
  })
  raw.end()
}

async function answerSocket(
  parts: StreamParts,
  { request, socket }: { readonly request: IncomingMessage; readonly socket: Duplex },
  over: AbortSignal,
): Promise<void> {
  const gone = new AbortController()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an HTTP server's sockets are of net
  const telling = new TellingSocket(socket as import('node:net').Socket, () => gone.abort())
  parts.handOver(socket, telling.take)
  const query = queryOf(request)
  let listener: Listener
  const accept = acceptOf(request.headers)
  try {
    const problem = parts.refusalOf(request)
    if (problem !== undefined) throw new Fault('forbidden', problem)
    if (accept === undefined) throw new Fault('bad-parameter', 'not the opening of a WebSocket')
    const asked = admissionOf(parts, request, query)
    parts.admit(asked)
    listener = await admitListener(parts.events, {
      id: socketPath.exec(pathOf(request))?.[1] ?? '',
      caller: parts.callerOf(asked),
      after: query.get('lastEventId'),
      from: query.get('from'),
    })
  } catch (error) {
    const { status, words } = refusalOf(parts, error)
    const body = JSON.stringify(errorBody(status, words))
    const head = [
      `HTTP/1.1 ${status} ${errorWords[status] ?? ''}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    socket.end([...head, '', body].join('\r\n'))
    return
  }
  const head = ['upgrade: websocket', 'connection: Upgrade', `sec-websocket-accept: ${accept}`]
  socket.write(['HTTP/1.1 101 Switching Protocols', ...head, '', ''].join('\r\n'))
  await tell(parts, { listener, signal: AbortSignal.any([over, gone.signal]) }, async (one) => {
    const sent =
      one === 'quiet'
        ? telling.ping()
        : telling.send(`{"id":"${listenId(one)}","message":${one.body}}`)
    await inTime(
      sent,
      limitOf(parts, () => socket.destroy()),
    )
  })
  telling.close(closeCodes.goingAway, 'the stream ends here')
}

/** Tells a listener everything until it is gone; what cannot be read now ends the stream. */
async function tell(
  parts: StreamParts,
  { listener, signal }: { readonly listener: Listener; readonly signal: AbortSignal },
  send: (
    one: (Parameters<typeof listenId>[0] & { readonly body: string }) | 'quiet',
  ) => Promise<void>,
): Promise<void> {
  try {
    for await (const one of heard(parts.events, listener, signal)) {
      if (signal.aborted) break
      await send(one)
    }
  } catch (error) {
    if (signal.aborted) return
    const code = faultOf(error)?.code
    if (code === undefined) parts.log.error('event stream broke', { error })
    else parts.log.debug('event stream ended', { code })
  } finally {
    listener.leave()
  }
}

async function drained(
  parts: StreamParts,
  raw: FastifyReply['raw'],
  gone: AbortSignal,
): Promise<void> {
  const taken = new Promise<void>((resolve) => {
    raw.once('drain', resolve)
    gone.addEventListener('abort', () => resolve(), { once: true })
  })
  await inTime(
    taken,
    limitOf(parts, () => raw.destroy()),
  )
}

/** A reader that takes longer than allowed is cut off; it can connect again. */
function limitOf(
  { events, sendTimeoutMs }: StreamParts,
  cut: () => void,
): Parameters<typeof inTime>[1] {
  return { clock: events.clock, ms: sendTimeoutMs, late: cut }
}

function refusalOf(
  parts: StreamParts,
  error: unknown,
): { readonly status: number; readonly words: string } {
  const fault = faultOf(error)
  if (fault !== undefined) return { status: statusOf[fault.code], words: publicWords(fault) }
  parts.log.error('event stream broke', { error })
  return { status: 500, words: 'something went wrong here; it has been logged' }
}

type Query = { readonly get: (name: string) => string | undefined; readonly all: unknown }

function queryOf(request: IncomingMessage): Query {
  const [, text = ''] = (request.url ?? '').split('?', 2)
  const values = new URLSearchParams(text)
  return { get: (name) => values.get(name) ?? undefined, all: Object.fromEntries(values) }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

function admissionOf(parts: StreamParts, request: IncomingMessage, query: Query): AdmissionRequest {
  const { headers } = request
  return { headers, query: query.all, address: parts.addressOf(request), weight }
}
