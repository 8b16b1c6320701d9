/**
 * Decisions about a request before it is routed: by its host, the page that sent it, and its
 * method.
 *
 * It speaks to the bare request and response, so that every answer has the same headers, whoever
 * makes it: the operations, the framework, or a refusal before either.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { isAllowedHost, isCrossSite } from '../../../core/web-request.ts'
import type { Serve } from '../../../http/connection-limits.ts'
import { errorBody, errorWords } from '../../operation/status.ts'
import { pathOf, type ServedPaths } from '../path-tree.ts'
import { corsHeaders, noCors, preflightHeaders, type CorsPolicy } from './cors.ts'

/** Rules about hosts and pages. */
export type WebRules = {
  /** Host names answered to, `*` for all; addresses always are. */
  readonly allowedHosts: readonly string[]
  readonly cors: CorsPolicy
}

/** Any host, no page of another site. */
export const anyHost: WebRules = { allowedHosts: ['*'], cors: noCors }

/** The checks of one server. */
export type RequestChecks = {
  /** The headers of every answer to a request; each call counts a request. */
  readonly common: (request: IncomingMessage) => readonly (readonly [string, string])[]
  /** Answers what needs no route; stands right before the framework's listener. */
  readonly deciding: (serve: Serve) => Serve
  /**
   * Answers what is no request, or one that cannot be served. Call it before the server listens.
   */
  readonly attach: (server: Server) => void
  /** Answers an offer of a WebSocket that may not be taken; returns whether it did. */
  readonly refusesSocket: (request: IncomingMessage, socket: Duplex) => boolean
  /** Answers an offer of a WebSocket with a status. */
  readonly refuseSocket: (
    request: IncomingMessage,
    socket: Duplex,
    status: number,
    words: string,
  ) => void
  /** From now on every new request is refused. */
  readonly close: () => void
}

/** Checks by `rules`; `paths` has every route once the server listens. */
export function createRequestChecks(rules: WebRules, paths: ServedPaths): RequestChecks {
  let count = 0
  let closing = false
  const commonHeaders = (origin: string | undefined): [string, string][] => [
    ['x-request-id', `req-${(++count).toString(36)}`],
    ['x-content-type-options', 'nosniff'],
    ...corsHeaders(rules.cors, origin),
  ]
  const common: RequestChecks['common'] = ({ headers }) => commonHeaders(headers.origin)
  const greet = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of common(request)) response.setHeader(name, value)
  }
  return {
    common,
    deciding: (serve) => (request, response) => {
      const answer = closing ? closed : decide(request, rules, paths)
      if (answer === undefined) return serve(request, response)
      greet(request, response)
      send(response, answer)
    },
    attach: (server) => {
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
        greet(request, response)
        send(response, refusal(417, 'the only expectation that is met is 100-continue'))
      })
      server.on('clientError', (error: Error, socket: Duplex) => {
        refuse(socket, error, commonHeaders(undefined))
      })
      server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
        end(
          socket,
          refusal(405, 'CONNECT is not served', [['allow', 'GET']]),
          commonHeaders(undefined),
        )
      })
    },
    refusesSocket: (request, socket) => {
      const answer = closing ? closed : socketRefusal(request, rules, paths)
      if (answer !== undefined) end(socket, answer, common(request))
      return answer !== undefined
    },
    refuseSocket: (request, socket, status, words) =>
      end(socket, refusal(status, words), common(request)),
    close: () => {
      closing = true
    },
  }
}

const wrongHost = 'invalid host specified, see the setting api.allowedHosts'
const crossSite = 'pages of other sites may not send this'

type Answer = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

function refusal(status: number, message: string, headers: Answer['headers'] = []): Answer {
  const type = ['content-type', 'application/json; charset=utf-8'] as const
  return { status, headers: [type, ...headers], body: JSON.stringify(errorBody(status, message)) }
}

const closed = refusal(503, 'the service is stopping', [
  ['connection', 'close'],
  ['retry-after', '5'],
])

/** The answer that needs no route, or `undefined` to go on. */
function decide(
  request: IncomingMessage,
  { allowedHosts, cors }: WebRules,
  paths: ServedPaths,
): Answer | undefined {
  const { method = 'GET', url = '/', headers } = request
  const { host } = headers
  if (host === undefined && request.httpVersion === '1.1')
    return refusal(400, 'a request of HTTP/1.1 names its host', [['connection', 'close']])
  if (hostsIn(request.rawHeaders) > 1)
    return refusal(400, 'a request names one host', [['connection', 'close']])
  if (!isAllowedHost(withPort(host ?? ''), allowedHosts)) return refusal(403, wrongHost)
  const path = pathOf(url)
  if (method === 'OPTIONS') return optionsAnswer(path, headers, cors, paths)
  if (isUnsafe(method) && isCrossSite(headers) && !isPermitted(headers, cors))
    return refusal(403, crossSite)
  return methodRefusal(request, path, paths)
}

/** Browsers let every page open sockets, and send its origin with them; what CORS allows may. */
function socketRefusal(
  request: IncomingMessage,
  rules: WebRules,
  paths: ServedPaths,
): Answer | undefined {
  const { headers } = request
  const { origin } = headers
  const isForeign = isCrossSite(headers) && (origin === undefined || !rules.cors.allows(origin))
  return decide(request, rules, paths) ?? (isForeign ? refusal(403, crossSite) : undefined)
}

function methodRefusal(
  { method = 'GET', headers }: IncomingMessage,
  path: string,
  paths: ServedPaths,
): Answer | undefined {
  // Reads are routed at once: what is no route is refused there in the same words. But readers take a verb that only
  // writes for a part of a name.
  if (!isUnsafe(method) && !path.includes(':')) return undefined
  // What may be a JSON-RPC call is read first: it is refused in its own form.
  if (method === 'POST' && isJson(headers)) return undefined
  const { methods = [] } = paths.at(path) ?? {}
  if (methods.length === 0 || methods.includes(method)) return undefined
  const { message, allow } = wrongMethod(method, methods)
  return refusal(405, message, [['allow', allow]])
}

/** How many headers name a host: `headers` has the first alone. */
function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** The refusal of a method at a path that has others. */
export function wrongMethod(
  method: string,
  known: readonly string[],
): { readonly message: string; readonly allow: string } {
  return {
    message: `${method} is not served at this path`,
    allow: [...known, 'OPTIONS'].join(', '),
  }
}

function optionsAnswer(
  path: string,
  headers: IncomingMessage['headers'],
  cors: CorsPolicy,
  paths: ServedPaths,
): Answer | undefined {
  const known = path === '*' ? ['GET', 'HEAD', 'POST'] : (paths.at(path)?.methods ?? [])
  const { origin } = headers
  if (origin !== undefined && headers['access-control-request-method'] !== undefined) {
    const methods = known.length === 0 ? ['GET', 'HEAD', 'POST'] : known
    const requested = headers['access-control-request-headers']
    return {
      status: 204,
      headers: cors.allows(origin) ? preflightHeaders(methods, requested) : [],
      body: '',
    }
  }
  if (known.length === 0) return undefined
  return { status: 204, headers: [['allow', [...known, 'OPTIONS'].join(', ')]], body: '' }
}

/** Brackets without a port, which browsers send for the usual port, are an address, too. */
function withPort(host: string): string {
  return host.endsWith(']') ? `${host}:` : host
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

/** Returns whether a browser sends this request only after a preflight that allowed it. */
function isPermitted(headers: IncomingMessage['headers'], cors: CorsPolicy): boolean {
  const { origin } = headers
  const hasKey = 'x-service-api-key' in headers || 'x-glacier-api-key' in headers
  return origin !== undefined && cors.allows(origin) && (hasKey || isJson(headers))
}

function isJson(headers: IncomingMessage['headers']): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '')
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  for (const [name, value] of headers) response.setHeader(name, value)
  if (status !== 204) response.setHeader('content-length', Buffer.byteLength(body))
  response.writeHead(status)
  response.end(body)
}

/**
 * Statuses of what the parser refuses; anything else is not HTTP. Source: Node.js, `clientError`.
 */
const parserRefusals: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'the headers are longer than 16 KiB']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'extensions of chunks are too long']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request did not arrive in time']],
])

function refuse(
  socket: Duplex,
  error: Error,
  headers: readonly (readonly [string, string])[],
): void {
  const code = 'code' in error ? String(error.code) : ''
  const [status, message] = parserRefusals.get(code) ?? [400, 'the request is not HTTP']
  // An answer whose head is sent already must not get another in its middle.
  const isAnswering = code === 'ECONNRESET' || hasBegun(socket)
  if (socket.writable && !isAnswering) end(socket, refusal(status, message), headers)
  else socket.destroy()
}

/** Node keeps the answer of a socket under this name; its own default looks there, too. */
function hasBegun(socket: Duplex): boolean {
  const answer: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined
  return typeof answer === 'object' && answer !== null && 'headersSent' in answer
    ? answer.headersSent === true
    : false
}

function end(
  socket: Duplex,
  { status, headers, body }: Answer,
  common: readonly (readonly [string, string])[],
): void {
  const lines = [...common, ...headers].map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Buffer.byteLength(body)}`
  const head = [`HTTP/1.1 ${status} ${errorWords[status] ?? ''}`, 'connection: close', length]
  socket.end([...head, ...lines, '', body].join('\r\n'))
}
