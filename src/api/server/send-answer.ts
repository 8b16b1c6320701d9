/** Sends answers in the caller's dialect, and lists in the form it accepts. */

import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'

import type { FastifyReply, FastifyRequest } from 'fastify'

import { ownValue } from '../../core/json.ts'
import type { Clock } from '../../core/world.ts'
import type { MaybePromise } from '../../store/engine/database.ts'
import { type ListShape, listShapeOf } from '../operation/list-columns.ts'
import { contentTypes, type ListFormat } from '../operation/list-format.ts'
import type { Answer, Operation } from '../operation/operation.ts'
import type { AdmissionHeaders, AdmissionRequest } from './admission/admission.ts'
import {
  type Dialect,
  dialectOf,
  type DialectRule,
  type DialectRules,
  type DialectSetting,
  type Rewriting,
} from './dialect.ts'
import type { AddressReader } from './front/proxy-address.ts'
import { compress, encodingOf, leastBytes, cacheControl, etagOf, isHeld } from './http-cache.ts'
import { listBody, pagedAdmission, type WholeLists } from './list-stream.ts'

/** The parts of the server that sending uses. */
export type SendOptions = {
  readonly dialect: DialectSetting
  readonly dialectRules: DialectRules
  readonly admit?: (request: AdmissionRequest) => MaybePromise<AdmissionHeaders | undefined>
  readonly clock: Clock
  readonly wholeLists: WholeLists
  readonly longAnswers: WholeLists
  /** Adds the headers that every answer has, and frees its lane; called right before it is written. */
  readonly complete: (reply: FastifyReply) => void
  /** The address of the caller; where absent, that of the connection. */
  readonly addressOf?: AddressReader
  readonly inspect?: (operation: Operation, body: unknown, json?: string) => void
}

/** An answer, and whom it is for. */
export type Done = {
  readonly options: SendOptions
  readonly operation: Operation
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** See {@link varyOf}. */
  readonly vary: string
  readonly answer: Answer
}

/** Sends an answer in the caller's dialect, compressed where it accepts that. */
export function send(done: Done): FastifyReply | Promise<FastifyReply> {
  const { options, operation, request, reply, vary, answer } = done
  const { contract } = operation
  const rule = ownValue(options.dialectRules, contract.id)
  const dialect = dialectOf(options.dialect, request)
  if (answer.indexedHeight !== undefined)
    reply.header('x-indexed-height', String(answer.indexedHeight))
  if (answer.headers !== undefined) reply.headers(answer.headers)
  const status = dialect === 'documented' ? contract.status : (rule?.sdkStatus ?? contract.status)
  if (answer.isAbsent === true) reply.code(404)
  else if (status !== undefined) reply.code(status)
  reply.header('vary', vary)
  if (answer.texts !== undefined) return sendTexts(done, answer.texts)
  // A body that exists as text is made of views only where a dialect reads those.
  if (answer.json === undefined && answer.body === undefined) return reply.send()
  const text = textOf(done, rule, dialect)
  if (contract.method === 'GET') {
    const etag = etagOf(text)
    reply.header('etag', etag)
    reply.header('cache-control', cacheControl(request, answer.immutable === true))
    if (isHeld(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  return sendText(options, reply, text)
}

/** The body as JSON: as the operation wrote it where nothing is to be rewritten. */
function textOf(
  { options, operation, answer }: Done,
  rule: DialectRule | undefined,
  dialect: Dialect,
): string {
  options.inspect?.(operation, answer.body, answer.json?.())
  const rewrite = rewritingOf(rule, dialect)
  if (rewrite !== undefined) return JSON.stringify(rewrite(answer.body))
  return answer.json === undefined ? JSON.stringify(answer.body) : answer.json()
}

/** Sends the parts of a body as they are read; a reader who does not read keeps them from being read. */
function sendTexts(
  { options, operation, request, reply }: Done,
  texts: AsyncIterable<string>,
): FastifyReply {
  const { address } = callerOf(request, options.addressOf, operation.contract.weight)
  reply.raw.once('close', options.longAnswers.enter(address))
  const body = Readable.from(texts, { objectMode: false, highWaterMark: 65_536 })
  return reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Sends text, compressed where that is accepted and pays. */
function sendText(
  { complete }: SendOptions,
  reply: FastifyReply,
  text: string,
): FastifyReply | Promise<FastifyReply> {
  const encoding =
    text.length < leastBytes ? undefined : encodingOf(reply.request.headers['accept-encoding'])
  if (encoding === undefined) return write(reply, text, complete)
  const body = compress(text, encoding)
  reply.header('content-encoding', encoding)
  if (!(body instanceof Promise)) return write(reply, body, complete)
  return body.then((bytes) => write(reply, bytes, complete))
}

/** Writes an answer that is all there, past what the framework does for those that are not. */
function write(
  reply: FastifyReply,
  body: string | Buffer,
  complete: SendOptions['complete'],
): FastifyReply {
  complete(reply)
  const bytes = Buffer.byteLength(body)
  reply.header('content-length', bytes)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has the values that it was given here
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  reply.hijack()
  // Text of ASCII alone, as nearly all is, is copied as it lies.
  reply.raw.end(body, bytes === body.length ? 'latin1' : 'utf8')
  return reply
}

/** Header `vary` of an operation; the origin of pages is added where it matters. */
export function varyOf({ dialectRules, dialect }: SendOptions, operation: Operation): string {
  const names = ['accept-encoding']
  if (listShapeOf(operation.contract) !== undefined) names.push('accept')
  if (ownValue(dialectRules, operation.contract.id) !== undefined) {
    names.push('x-firn-dialect')
    if (dialect === 'auto') names.push('user-agent')
  }
  return names.join(', ')
}

function rewritingOf(rule: DialectRule | undefined, dialect: Dialect): Rewriting | undefined {
  return rule?.[dialect] ?? (dialect === 'documented' ? undefined : rule?.sdk)
}

/** Parameters of reading a whole list. */
export type ListRequest = {
  readonly format: ListFormat
  readonly list: ListShape
  readonly query: Readonly<Record<string, unknown>>
  /** All pages from here on; else one. */
  readonly isWhole: boolean
  readonly answerPage: (query: Record<string, unknown>) => Promise<Answer>
}

/** Sends a list in another form than JSON: a page, or all of them, as they are read. */
export async function sendList(
  { options, operation, request, reply, vary }: Omit<Done, 'answer'>,
  { format, list, query, isWhole, answerPage }: ListRequest,
): Promise<FastifyReply> {
  const rule = ownValue(options.dialectRules, operation.contract.id)
  const dialect = dialectOf(options.dialect, request)
  const caller = callerOf(request, options.addressOf, operation.contract.weight)
  const size = isWhole && list.mostItems !== undefined ? { pageSize: list.mostItems } : {}
  const read = async (pageToken: string | undefined): Promise<Pick<Answer, 'body' | 'columns'>> => {
    // Every further page counts as a request of its own.
    if (pageToken !== undefined) await pagedAdmission(options.clock, () => options.admit?.(caller))
    const answer = await answerPage({ ...query, ...size, ...(pageToken && { pageToken }) })
    options.inspect?.(operation, answer.body)
    const rewrite = rewritingOf(rule, dialect)
    return { ...answer, body: rewrite === undefined ? answer.body : rewrite(answer.body) }
  }
  if (isWhole) reply.raw.once('close', options.wholeLists.enter(caller.address))
  // What a whole list is long is known when it was sent.
  const isHead = request.method === 'HEAD'
  const { body, nextPageToken } =
    isWhole && isHead
      ? { body: Readable.from([]), nextPageToken: undefined }
      : await listBody(format, list, { read, isWhole })
  if (nextPageToken !== undefined) reply.header('x-next-page-token', nextPageToken)
  reply.header('vary', vary).header('cache-control', cacheControl(caller, false))
  reply.code(200).header('content-type', contentTypes[format])
  return typeof body === 'string' ? await sendText(options, reply, body) : reply.send(body)
}

/** The part of a request that admission reads. */
export function callerOf(
  request: FastifyRequest,
  addressOf: AddressReader | undefined,
  weight: number,
): AdmissionRequest {
  const { headers, query, raw } = request
  return { headers, query, address: addressOf?.(raw) ?? raw.socket.remoteAddress ?? '', weight }
}
