/** How answers are sent: in the caller's dialect, and lists in the form it accepts. */

import { createHash } from 'node:crypto'

import type { FastifyReply, FastifyRequest } from 'fastify'

import { ownValue } from '../core/own-value.ts'
import type { AdmissionHeaders, AdmissionRequest } from './admission-request.ts'
import {
  type Dialect,
  dialectOf,
  type DialectRule,
  type DialectRules,
  type DialectSetting,
} from './dialect.ts'
import { contentTypes, type ListFormat, type ListShape } from './list-format.ts'
import { listBody } from './list-stream.ts'
import type { Answer, Operation } from './operation.ts'
import type { AddressReader } from './proxy-address.ts'

/** Answer of any operation. */
export type AnswerOf = Answer<Operation['shape']>

/** The parts of the server that sending uses. */
export type SendParts = {
  readonly dialect: DialectSetting
  readonly dialectRules: DialectRules
  readonly admit?: (request: AdmissionRequest) => AdmissionHeaders | undefined
  /** Returns whether a request has a valid API key; its lists may then be sent whole. */
  readonly hasKey?: (request: AdmissionRequest) => boolean
  /** Whose request it is; that of the connection. */
  readonly addressOf?: AddressReader
  readonly inspect?: (operation: Operation, body: unknown) => void
}

/** An answer, and whom it is for. */
export type Done = {
  readonly parts: SendParts
  readonly operation: Operation
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly answer: AnswerOf
}

/** Sends an answer in the caller's dialect. */
export function send({ parts, operation, request, reply, answer }: Done): FastifyReply {
  const { shape } = operation
  const rule = ownValue(parts.dialectRules, shape.id)
  const dialect = dialectOf(parts.dialect, request)
  if (answer.indexedHeight !== undefined) {
    reply.header('x-indexed-height', String(answer.indexedHeight))
  }
  if (answer.headers !== undefined) reply.headers(answer.headers)
  parts.inspect?.(operation, answer.body)
  const body = JSON.stringify(inDialect(answer.body, rule, dialect))
  const status = dialect === 'documented' ? shape.status : (rule?.sdkStatus ?? shape.status)
  if (answer.immutable === true && matches(request, reply, body)) return reply.code(304).send()
  return reply
    .code(status ?? 200)
    .header('content-type', 'application/json; charset=utf-8')
    .header('vary', vary)
    .send(body)
}

const vary = 'accept, origin, user-agent, x-firn-dialect'

function inDialect(body: unknown, rule: DialectRule | undefined, dialect: Dialect): unknown {
  const rewrite = rule?.[dialect] ?? (dialect === 'documented' ? undefined : rule?.sdk)
  return rewrite === undefined ? body : rewrite(body)
}

/** Parameters of reading a whole list. */
export type ListAsked = {
  readonly format: ListFormat
  readonly list: ListShape
  readonly query: Readonly<Record<string, unknown>>
  readonly ask: (query: Record<string, unknown>) => Promise<AnswerOf>
}

/** Sends a list in another form than JSON: a page, or with a key all of them, as they are read. */
export async function sendList(
  { parts, operation, request, reply }: Omit<Done, 'answer'>,
  { format, list, query, ask }: ListAsked,
): Promise<FastifyReply> {
  const rule = ownValue(parts.dialectRules, operation.shape.id)
  const dialect = dialectOf(parts.dialect, request)
  const caller = callerOf(request, parts.addressOf, operation.shape.weight)
  const isWhole = parts.hasKey?.(caller) === true && query['pageToken'] === undefined
  const size = isWhole && list.mostItems !== undefined ? { pageSize: list.mostItems } : {}
  const read = async (pageToken: string | undefined): Promise<unknown> => {
    // Every further page counts as a request of its own.
    if (pageToken !== undefined) parts.admit?.(caller)
    const answer = await ask({
      ...query,
      ...size,
      ...(pageToken === undefined ? {} : { pageToken }),
    })
    parts.inspect?.(operation, answer.body)
    return inDialect(answer.body, rule, dialect)
  }
  const { body, nextPageToken } = await listBody(format, list, { read, isWhole })
  if (nextPageToken !== undefined) reply.header('x-next-page-token', nextPageToken)
  return reply
    .code(200)
    .header('content-type', contentTypes[format])
    .header('vary', vary)
    .send(body)
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

/** Sets a strong ETag; true when the caller holds this very body. */
function matches(request: FastifyRequest, reply: FastifyReply, body: string): boolean {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  reply.header('etag', tag)
  reply.header('cache-control', 'public, max-age=31536000, immutable')
  return request.headers['if-none-match'] === tag
}
