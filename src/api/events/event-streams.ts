/** Server-Sent Events: messages of a webhook, and the newest blocks of all chains. */

import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { Fault, faultOf } from '../../core/fault.ts'
import { inTime } from '../../core/waiting.ts'
import { callerOf } from '../../http/caller-address.ts'
import type { Log } from '../../telemetry/log.ts'
import { errorBody, publicWords, statusOf } from '../operation/status.ts'
import type { AdmissionRequest } from '../server/admission/admission.ts'
import type { StreamAdmission } from '../server/server.ts'
import { admitListener, heard, type Listener, listenId } from './listening.ts'
import type { NewestBlocks } from './newest-blocks.ts'
import type { EventContext } from './own-webhook.ts'

type StreamContext = {
  readonly admission: StreamAdmission
  readonly events: EventContext
  readonly log: Log
  /** Longest time a caller may need to take what was sent. */
  readonly sendTimeoutMs: number
}

/** Compute units of a stream of messages. */
const weight = 20

/** Adds the streams of webhooks to a server. Returns the function that ends them. */
export function mountStreams(http: FastifyInstance, context: StreamContext): () => void {
  const over = new AbortController()
  http.route({
    method: 'GET',
    url: '/v1/webhooks/:id/events',
    exposeHeadRoute: false,
    handler: (request, reply) => answerEvents(context, { request, reply }, over.signal),
  })
  return () => over.abort()
}

/** Compute units of the stream of blocks, as for the list of blocks. */
const blocksWeight = 10
/** Streams of one address: tabs that are seen at the same time. */
const mostOfAddress = 16
/** A reader that is this far behind is cut off; it can connect again. */
const mostUnsentBytes = 65_536

/**
 * Adds the stream of new blocks, for every caller that may request blocks. Returns the function
 * that ends every stream. `most` are streams at once; 0: none.
 */
export function mountBlockStream(
  http: FastifyInstance,
  admission: StreamAdmission,
  { newest, most }: { readonly newest: NewestBlocks; readonly most: number },
): () => void {
  const open = new Set<{ readonly caller: string; readonly raw: ServerResponse }>()
  http.route({
    method: 'GET',
    url: '/v1/blocks/events',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const caller = await admittedReader(request, admission, { open, most })
      reply.hijack()
      admission.release(request.raw)
      const { raw } = reply
      const stream = { caller, raw }
      open.add(stream)
      beginEvents(raw)
      const send = (text: string): void => {
        if (raw.writableLength > mostUnsentBytes) raw.destroy()
        else raw.write(text)
      }
      const end = newest.read((blocks) =>
        send(blocks === undefined ? quiet : `data: ${blocks}\n\n`),
      )
      raw.once('close', () => {
        open.delete(stream)
        end()
      })
    },
  })
  return () => {
    for (const { raw } of open) raw.end()
  }
}

/**
 * The name under which the caller is counted. Throws `key-required`, `rate-limited`, and
 * `overloaded` for too many.
 */
async function admittedReader(
  { raw, headers, query }: FastifyRequest,
  { admit, addressOf }: StreamAdmission,
  {
    open,
    most,
  }: { readonly open: ReadonlySet<{ readonly caller: string }>; readonly most: number },
): Promise<string> {
  const address = addressOf(raw)
  const caller = callerOf(address)
  await admit({ headers, query, address, weight: blocksWeight })
  const own = [...open].filter((one) => one.caller === caller).length
  if (own >= mostOfAddress || open.size >= most)
    throw new Fault('overloaded', `too many look on already: ${open.size}`, {
      detail: { reset: 30 },
    })
  return caller
}

/** A comment, so that nobody takes the stream for dead. */
const quiet = ': quiet\n\n'

function beginEvents(raw: ServerResponse): void {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
}

async function answerEvents(
  context: StreamContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  over: AbortSignal,
): Promise<void> {
  const query = queryOf(request.raw)
  const asked = admissionOf(context.admission, request.raw, query)
  let listener: Listener
  try {
    await context.admission.admit(asked)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router gives text by name
    const { id } = request.params as { readonly id: string }
    const last = request.headers['last-event-id']
    listener = await admitListener(context.events, {
      id,
      caller: context.admission.callerOf(asked),
      after: typeof last === 'string' ? last : query.get('lastEventId'),
      from: query.get('from'),
    })
  } catch (error) {
    const { status, words } = refusalOf(context, error)
    await reply.code(status).send(errorBody(status, words))
    return
  }
  reply.hijack()
  context.admission.release(request.raw)
  const { raw } = reply
  beginEvents(raw)
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  await sendAll(
    context,
    { listener, signal: AbortSignal.any([over, gone.signal]) },
    async (one) => {
      const text =
        one === 'quiet'
          ? quiet
          : `id: ${listenId(one)}\nevent: ${listener.webhook.body.eventType}\ndata: ${one.body}\n\n`
      if (!raw.write(text)) await drained(context, raw, gone.signal)
    },
  )
  raw.end()
}

/** Sends a listener everything until it is gone; what cannot be read now ends the stream. */
async function sendAll(
  context: StreamContext,
  { listener, signal }: { readonly listener: Listener; readonly signal: AbortSignal },
  send: (
    one: (Parameters<typeof listenId>[0] & { readonly body: string }) | 'quiet',
  ) => Promise<void>,
): Promise<void> {
  try {
    for await (const one of heard(context.events, listener, signal)) {
      if (signal.aborted) break
      await send(one)
    }
  } catch (error) {
    if (signal.aborted) return
    const code = faultOf(error)?.code
    if (code === undefined) context.log.error('event stream broke', { error })
    else context.log.debug('event stream ended', { code })
  } finally {
    listener.leave()
  }
}

async function drained(
  context: StreamContext,
  raw: FastifyReply['raw'],
  gone: AbortSignal,
): Promise<void> {
  const taken = new Promise<void>((resolve) => {
    raw.once('drain', resolve)
    gone.addEventListener('abort', () => resolve(), { once: true })
  })
  await inTime(
    taken,
    limitOf(context, () => raw.destroy()),
  )
}

/** A reader that takes longer than allowed is cut off; it can connect again. */
function limitOf(
  { events, sendTimeoutMs }: StreamContext,
  cut: () => void,
): Parameters<typeof inTime>[1] {
  return { clock: events.clock, ms: sendTimeoutMs, late: cut }
}

function refusalOf(
  context: StreamContext,
  error: unknown,
): { readonly status: number; readonly words: string } {
  const fault = faultOf(error)
  if (fault !== undefined) return { status: statusOf[fault.code], words: publicWords(fault) }
  context.log.error('event stream broke', { error })
  return { status: 500, words: 'something went wrong here; it has been logged' }
}

type Query = { readonly get: (name: string) => string | undefined; readonly all: unknown }

function queryOf(request: IncomingMessage): Query {
  const [, text = ''] = (request.url ?? '').split('?', 2)
  const values = new URLSearchParams(text)
  return { get: (name) => values.get(name) ?? undefined, all: Object.fromEntries(values) }
}

function admissionOf(
  { addressOf }: StreamAdmission,
  request: IncomingMessage,
  query: Query,
): AdmissionRequest {
  const { headers } = request
  return { headers, query: query.all, address: addressOf(request), weight }
}
