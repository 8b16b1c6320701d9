/** Answers to requests that failed: the documented body, the status, and when to come again. */

import type { FastifyError, FastifyReply } from 'fastify'

import { faultOf } from '../../core/fault.ts'
import type { Log } from '../../telemetry/log.ts'
import { errorBody, publicWords, statusOf } from '../operation/status.ts'
import type { Entrance } from './entrance.ts'

/** The pause to tell where no better one is known, seconds. */
const retryAfterSeconds = '5'

/**
 * Answers an error from before a route is found: there is no schema, and the reply takes any body.
 */
export function failUnrouted(
  error: FastifyError,
  reply: FastifyReply,
  common: ReturnType<Entrance['common']>,
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
 * Answers an error of a handler in the documented form; one that nobody foresaw is logged and told as
 * 500. `listsMessages`: the operation has a list as the `message` of its errors.
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
    const words = publicWords(fault)
    return reply.code(status).send(errorBody(status, listsMessages ? [words] : words))
  }
  const own = ownStatus(error)
  if (own !== undefined && own < 500) {
    return reply.code(own).send(errorBody(own, listsMessages ? [plain(error)] : plain(error)))
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    reply.header('retry-after', retryAfterSeconds)
    return reply.code(503).send(errorBody(503, 'the answer took too long'))
  }
  // A caller who went away, as a closed tab does, ends what was under way: that is nobody's failure.
  log[reply.raw.destroyed ? 'debug' : 'error']('request broke', { error })
  return reply.code(500).send(errorBody(500, 'something went wrong here; it has been logged'))
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
