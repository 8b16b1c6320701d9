/** Answers to requests that failed: the documented body, the status, and when to come again. */

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

import { clip } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import type { Log } from '../../telemetry/log.ts'
import {
  isRpcCall,
  rpcCodes,
  rpcFailure,
  errorBody,
  publicWords,
  statusOf,
} from '../operation/status.ts'
import type { RequestChecks } from './front/request-checks.ts'

/** Content type of forms. */
export const formType = 'application/x-www-form-urlencoded'

/** The pause to answer where no better one is known, seconds. */
const retryAfterSeconds = '5'

/**
 * Answers an error from before a route is found: there is no schema, and the reply takes any body.
 */
export function failUnrouted(
  error: FastifyError,
  reply: FastifyReply,
  common: ReturnType<RequestChecks['common']>,
): void {
  const status = error.statusCode ?? 400
  const body = JSON.stringify(errorBody(status, plain(error)))
  reply.raw.writeHead(status, {
    ...Object.fromEntries(common),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  reply.raw.end(body)
}

/**
 * Answers an error of a handler in the documented form; one that nobody foresaw is logged and
 * answered as 500. `listsMessages`: the operation has a list as the `message` of its errors.
 */
export function fail(
  log: Log,
  reply: FastifyReply,
  { error, listsMessages }: { readonly error: unknown; readonly listsMessages: boolean },
): FastifyReply {
  const fault = faultOf(error)
  if (fault !== undefined) {
    const status = statusOf[fault.code]
    const reset = fault.detail['reset']
    for (const [name, value] of Object.entries(fault.detail))
      if (name.startsWith('ratelimit-')) reply.header(name, String(value))
    if (status === 503 || status === 429) {
      reply.header('retry-after', String(reset ?? retryAfterSeconds))
    }
    // Refusals of callers that are too many are counted, and logged as sums.
    const isCounted = fault.code === 'overloaded'
    if (status >= 500 && !isCounted)
      log.warn('request failed', { code: fault.code, reason: fault.message })
    return sendFailure(reply, status, publicWords(fault), listsMessages)
  }
  const own = ownStatus(error)
  if (own !== undefined && own < 500) {
    const words = own === 415 ? wantedType(reply.request) : plain(error)
    return sendFailure(reply, own, words, listsMessages)
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    reply.header('retry-after', retryAfterSeconds)
    return sendFailure(reply, 503, 'the answer took too long')
  }
  // A caller who left (a closed tab) ends the work: this is no failure.
  log[reply.raw.destroyed ? 'debug' : 'error']('request broke', { error })
  return sendFailure(reply, 500, 'something went wrong here; it has been logged')
}

/** Returns whether a request is one of JSON-RPC, by its route or by its body. */
export function isForCalls({ routeOptions: { config } }: FastifyRequest, body: unknown): boolean {
  return isRpcCall(body) || ('isJsonRpc' in config && config.isJsonRpc === true)
}

/** Answers with the documented body, or with that of JSON-RPC where the call was one. */
export function sendFailure(
  reply: FastifyReply,
  status: number,
  message: string,
  listsMessages = false,
): FastifyReply {
  const { body } = reply.request
  const isCall = isForCalls(reply.request, body)
  if (!isCall)
    return reply.code(status).send(errorBody(status, listsMessages ? [message] : message))
  const isUnread = status === 400 && body === undefined
  const code = isUnread ? rpcCodes.notJson : status === 429 ? rpcCodes.tooMany : rpcCodes.failed
  return reply.code(status).send(rpcFailure(body, code, message))
}

/** Names the content type that is taken, for a body of another. */
function wantedType({ headers, routeOptions: { config } }: FastifyRequest): string {
  const form = 'takesForm' in config && config.takesForm === true ? ` or ${formType}` : ''
  const given = headers['content-type']
  const sent = given === undefined ? 'nothing' : clip(given)
  return `the body must be sent with content-type application/json${form}: ${sent}`
}

function ownStatus(error: unknown): number | undefined {
  const isOwn = typeof error === 'object' && error !== null && 'statusCode' in error
  return isOwn && typeof error.statusCode === 'number' ? error.statusCode : undefined
}

/** The framework's message without its own words for codes. */
function plain(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/^FST_\w+:?\s*/, '').slice(0, 200)
    : 'bad request'
}
