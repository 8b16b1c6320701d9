/**
 * Limits of load, before the framework: one request at a time for each socket, and a turn for each
 * request.
 *
 * A request without a body takes its turn before it is routed, so that refusing it costs a few
 * microseconds. One with a body is routed first and takes its turn when the body is there: a body
 * that trickles in must not hold the place of an answer.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { Fault } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import { callerOf } from '../../../http/caller-address.ts'
import {
  type Serve,
  type ConnectionLimiter,
  limitConnections,
  type ListenerLimits,
} from '../../../http/connection-limits.ts'
import { watchLoopDelay } from '../../../http/loop-delay.ts'
import {
  type Lane,
  type RequestQueue,
  type Ticket,
  createRequestQueue,
  lanes,
  type QueueLimits,
} from '../../../http/request-queue.ts'
import type { Gauges } from '../../../telemetry/gauges.ts'
import type { Log } from '../../../telemetry/log.ts'
import { errorBody } from '../../operation/status.ts'
import { pathOf, type ServedPaths } from '../path-tree.ts'
import type { AddressReader } from './proxy-address.ts'

/** The limits of load of one server. */
export type LoadLimiter = {
  /** The listener of `request` over the framework's. */
  readonly listener: (handler: Serve) => Serve
  readonly attach: (server: Server) => void
  /** The turn of a request that came with a body; the others had theirs. Rejects: `overloaded`. */
  readonly turn: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined
  /**
   * The turn of a message of `caller` that is no request; the function ends it. Rejects: `overloaded`.
   */
  readonly patientTurn: (caller: string) => Promise<() => void>
  readonly release: ConnectionLimiter['release']
  /** When a request came, by the queue's clock; `undefined` for one that did not come this way. */
  readonly since: (request: IncomingMessage) => number | undefined
  /** The answer is made: what is left is to send it. */
  readonly answered: (request: IncomingMessage) => void
}

type LoadLimiterOptions = {
  readonly queue: RequestQueue
  readonly connections: ConnectionLimiter
  readonly paths: ServedPaths
  /** The address of the caller, behind reverse proxies too. */
  readonly addressOf: AddressReader
  /** Headers of every answer to a request. */
  readonly common: (request: IncomingMessage) => readonly (readonly [string, string])[]
}

/** Work is taken in for an eighth of a second; after a second there is room. */
const retryAfterOverloadSeconds = 1

const busyWords = 'the service is at its limit'

type Refusal = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

const refusal = refusalOf(busyWords)
const listRefusal = refusalOf([busyWords])

/** Limits before the first connection. */
function createLoadLimiter(options: LoadLimiterOptions): LoadLimiter {
  const { queue, connections, paths, addressOf } = options

  // An unknown path counts as a list, so that another spelling that the router accepts gets no better lane.
  const laneOf = ({ url = '/' }: IncomingMessage): Lane => paths.at(pathOf(url))?.lane ?? 'list'

  function enter(
    exchange: { request: IncomingMessage; response: ServerResponse; lane: Lane },
    start: () => void,
    refuse: () => void,
  ): void {
    const { request, response, lane } = exchange
    const caller = callerOf(addressOf(request))
    response.once('close', () => ticketOf(request)?.leave())
    const given = queue.enter({ lane, caller, start, refuse })
    setTicket(request, given)
    // The queue may have begun, and the handler ended, before there was a ticket.
    if (response.closed || response.writableEnded) given.leave()
  }

  return {
    attach: connections.attach,
    listener: (handler) =>
      connections.oneByOne((request, response) => {
        const lane = hasBody(request) ? 'body' : laneOf(request)
        const refuse = (): void => {
          for (const [name, value] of options.common(request)) response.setHeader(name, value)
          const { listMessages = false } = paths.at(pathOf(request.url ?? '/')) ?? {}
          send(response, listMessages ? listRefusal : refusal)
        }
        enter({ request, response, lane }, () => handler(request, response), refuse)
      }),
    turn: (request, response) => {
      if (!hasBody(request)) return undefined
      ticketOf(request)?.leave()
      const lane = laneOf(request)
      return new Promise((resolve, reject) => {
        const refuse = (): void => {
          const detail = { reset: retryAfterOverloadSeconds }
          reject(new Fault('overloaded', busyWords, { detail }))
        }
        enter({ request, response, lane }, resolve, refuse)
      })
    },
    patientTurn: (caller) =>
      new Promise((resolve, reject) => {
        const start = (): void => resolve(() => given.leave())
        const refuse = (): void => reject(new Fault('overloaded', busyWords))
        const given = queue.enter({ lane: 'patient', caller, start, refuse })
      }),
    release: connections.release,
    since: (request) => ticketOf(request)?.since,
    answered: (request) => ticketOf(request)?.leave(),
  }
}

// On the request itself: a WeakMap of requests is gone through by every collection of garbage.
const ticket = Symbol('ticket')
type Ticketed = IncomingMessage & { [ticket]?: Ticket }

function ticketOf(request: Ticketed): Ticket | undefined {
  return request[ticket]
}

function setTicket(request: Ticketed, given: Ticket): void {
  request[ticket] = given
}

/** Returns whole answers for connections beyond the limit, each under an id of its own. */
function connectionRefusals(): () => string {
  let count = 0
  const headers = Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`)
  return () =>
    [
      'HTTP/1.1 503 Service Unavailable',
      `x-request-id: req-c${(++count).toString(36)}`,
      ...headers,
      'connection: close',
      '',
      refusal.body,
    ].join('\r\n')
}

function refusalOf(message: string | readonly string[]): Refusal {
  const body = JSON.stringify(errorBody(503, message))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'retry-after': String(retryAfterOverloadSeconds),
    'x-content-type-options': 'nosniff',
  }
  return { body, headers }
}

function send(response: ServerResponse, { body, headers }: Refusal): void {
  if (response.destroyed) return
  response.writeHead(503, headers)
  response.end(body)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Limits of callers, together and each. */
export type LoadLimits = ListenerLimits & QueueLimits

/** The defaults of the settings. */
export const usualLoadLimits: LoadLimits = {
  maxPerAddress: 1_024,
  maxUnsentBytes: 134_217_728,
  sendTimeoutMs: 60_000,
  maxUnderWay: 32,
  maxUnderWayPerAddress: 24,
  maxWaiting: 512,
  maxWaitingPerAddress: 256,
  maxQueuedMs: 125,
}

// Refusals come in thousands: the log has their sums.
const logEveryMs = 10_000

/** Limits of load, and what ends their watch of the event loop. */
export function limitLoad(options: {
  readonly addressOf: AddressReader
  readonly common: LoadLimiterOptions['common']
  readonly limits: LoadLimits
  readonly paths: ServedPaths
  readonly clock: Clock
  readonly log: Log
  readonly gauges: Gauges | undefined
}): { readonly limiter: LoadLimiter; readonly close: () => void } {
  const { limits, clock, log, gauges } = options
  const delay = watchLoopDelay(clock.monotonic)
  const refusals = summary((refused) => log.warn('requests refused', { refused }), clock)
  const queue = createRequestQueue({
    limits,
    now: clock.monotonic,
    loopDelayMs: delay.ms,
    turnedAway: (lane, outcome) => {
      gauges?.add('firn_api_turned_away_total', 1, { lane, outcome })
      if (outcome !== 'gone') refusals()
    },
  })
  const connections = limitConnections({
    limits,
    refusal: connectionRefusals(),
    connected: queue.connected,
    dropped: (reason) =>
      gauges?.add('firn_http_dropped_connections_total', 1, { listener: 'api', reason }),
  })
  gauges?.onRead(() => {
    for (const lane of lanes) {
      const { waiting, underWay } = queue.count(lane)
      gauges.set('firn_api_waiting_requests', waiting, { lane })
      gauges.set('firn_api_under_way_requests', underWay, { lane })
    }
    gauges.set('firn_http_unsent_bytes', connections.unsentBytes(), { listener: 'api' })
  })
  const { addressOf, common, paths } = options
  const limiter = createLoadLimiter({ queue, connections, paths, addressOf, common })
  return { limiter, close: delay.stop }
}

/** Reports the count at the first call and then at most every {@link logEveryMs}. */
function summary(report: (count: number) => void, clock: Clock): () => void {
  let count = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  return () => {
    count++
    const now = clock.monotonic()
    if (now - reportedAt < logEveryMs) return
    report(count)
    count = 0
    reportedAt = now
  }
}
