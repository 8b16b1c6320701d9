/**
 * The guard before the framework: one request at a time for each socket, and a turn for each
 * request.
 *
 * A request without a body takes its turn before it is routed, so that refusing it costs a few
 * microseconds. One with a body is routed first and takes its turn when the body is there: a body
 * that trickles in must not hold the place of an answer.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { Fault } from '../../core/fault.ts'
import { callerOf } from '../../http/caller-address.ts'
import type { Lane, LoadGate, Ticket } from '../../http/load-gate.ts'
import type { Serve, SocketGuard } from '../../http/socket-guard.ts'
import { errorBody } from '../operation/status.ts'
import type { Lanes } from './lanes.ts'
import type { AddressReader } from './proxy-address.ts'

/** The door of one server. */
export type FrontDoor = {
  /** The listener of `request` over the framework's. */
  readonly listener: (handler: Serve) => Serve
  readonly attach: (server: Server) => void
  /** The turn of a request that came with a body; the others had theirs. Rejects: `overloaded`. */
  readonly turn: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined
  /** When a request came, by the gate's clock; `undefined` for one that did not come this way. */
  readonly since: (request: IncomingMessage) => number | undefined
  /** The answer is made: what is left is to send it. */
  readonly answered: (request: IncomingMessage) => void
}

/** Parameters of {@link createFrontDoor}. */
export type FrontDoorParts = {
  readonly gate: LoadGate
  readonly guard: SocketGuard
  readonly lanes: Lanes
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

/** A door nobody has come to. */
export function createFrontDoor(parts: FrontDoorParts): FrontDoor {
  const { gate, guard, lanes, addressOf } = parts

  function enter(
    exchange: { request: IncomingMessage; response: ServerResponse; lane: Lane },
    start: () => void,
    refuse: () => void,
  ): void {
    const { request, response, lane } = exchange
    const caller = callerOf(addressOf(request))
    response.once('close', () => ticketOf(request)?.leave())
    const given = gate.enter({ lane, caller, start, refuse })
    setTicket(request, given)
    // The gate may have begun, and the handler ended, before there was a ticket.
    if (response.closed || response.writableEnded) given.leave()
  }

  return {
    attach: guard.attach,
    listener: (handler) =>
      guard.oneByOne((request, response) => {
        const target = request.url ?? '/'
        const lane = hasBody(request) ? 'body' : lanes.laneOf(target)
        const refuse = (): void => {
          for (const [name, value] of parts.common(request)) response.setHeader(name, value)
          send(response, lanes.listsMessages(target) ? listRefusal : refusal)
        }
        enter({ request, response, lane }, () => handler(request, response), refuse)
      }),
    turn: (request, response) => {
      if (!hasBody(request)) return undefined
      ticketOf(request)?.leave()
      const lane = lanes.laneOf(request.url ?? '/')
      return new Promise((resolve, reject) => {
        const refuse = (): void => {
          const detail = { reset: retryAfterOverloadSeconds }
          reject(new Fault('overloaded', busyWords, { detail }))
        }
        enter({ request, response, lane }, resolve, refuse)
      })
    },
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
export function connectionRefusals(): () => string {
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
