/** Answers of the explorer's files and pages by Fastify. */

import { createHash } from 'node:crypto'

import type { FastifyReply } from 'fastify'

import { isObject, ownValue } from '../../core/json.ts'
import { type ExplorerAnswer, type ExplorerRequest, pageAnswer } from '../../explorer/routes.ts'

/** Sends an answer as it is. */
export function sent(reply: FastifyReply, answer: ExplorerAnswer): FastifyReply {
  const { status, headers, body } = answer
  return reply
    .code(status)
    .headers(headers)
    .send(status === 304 ? undefined : Buffer.from(body))
}

/** Sends a document, or says that the caller has it. */
export function sentPage(
  reply: FastifyReply,
  text: string,
  request: ExplorerRequest,
): FastifyReply {
  return sent(reply, pageAnswer(Buffer.from(text), `"${hashOf(text)}"`, request))
}

/** Headers of a request that matter for files. */
export function requestOf({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}): ExplorerRequest {
  const text = (name: string): string => String(ownValue(headers, name) ?? '')
  return { acceptEncoding: text('accept-encoding'), ifNoneMatch: text('if-none-match') }
}

/** A parameter of a path; empty where there is none. */
export function textIn(params: unknown, name: string): string {
  const found = isObject(params) ? ownValue(params, name) : undefined
  return typeof found === 'string' ? found : ''
}

/** Short hash of a content, safe in addresses and headers. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}
