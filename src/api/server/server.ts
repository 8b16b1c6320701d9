/**
 * The public HTTP server: limits, headers and dialects, once for all operations. A request meets, in this order:
 *
 * 1. connection limits, `http/connection-limits.ts`: connections of an address, answers that nobody takes, one
 *    request of a socket at a time; 503, or the connection ends
 * 2. the parser of Node, whose refusals `front/request-checks.ts` words: 400, 408, 413, 431
 * 3. the queues, `front/load-limits.ts` over `http/request-queue.ts`: a turn by the lane that the contract names; 503.
 *    A request with a body has its turn after step 5, when the body is there
 * 4. `front/request-checks.ts`: the host, pages of other sites, methods that a path lacks; 400, 403, 405
 * 5. the router, and the body: 404 with its reason from `absent` below, 413, 415
 * 6. admission, `admission/admission.ts`: keys and rates; 401, 429
 * 7. by the contract, `route-operation.ts`: path, query, `minHeight`, which may wait (503), the body; 400
 * 8. the answer, within its time, and its form, `send-answer.ts`; a fault's status is that of `operation/status.ts`
 *
 * Of what answers operations only this module, `route-operation.ts`, `send-answer.ts` and `failed-request.ts` know Fastify.
 * Its settings close holes that the defaults leave open; each has a test in
 * `test/server/http-hardening.test.ts`.
 */

import type { IncomingMessage, Server } from 'node:http'

import fastify, {
  errorCodes,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'

import { parseExact } from '../../core/json.ts'
import type { Clock } from '../../core/world.ts'
import type { Serve } from '../../http/connection-limits.ts'
import { createHttpServer } from '../../http/create-http-server.ts'
import type { MaybePromise } from '../../store/engine/database.ts'
import type { Replicas } from '../../store/engine/replicas.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import { createDeadlines } from '../operation/deadlines.ts'
import { createFreshReader, type FreshChains } from '../operation/freshness.ts'
import { type Caller, unknownCaller, type Operation } from '../operation/operation.ts'
import { isRpcCall } from '../operation/status.ts'
import type { AdmissionHeaders, AdmissionRequest } from './admission/admission.ts'
import type { AnsweredCall } from './admission/call-recorder.ts'
import type { DialectRules, DialectSetting } from './dialect.ts'
import { fail, failUnrouted, formType, sendFailure, isForCalls } from './failed-request.ts'
import {
  type LoadLimiter,
  type LoadLimits,
  limitLoad,
  usualLoadLimits,
} from './front/load-limits.ts'
import { addressReader, type AddressReader } from './front/proxy-address.ts'
import {
  anyHost,
  createRequestChecks,
  type RequestChecks,
  type WebRules,
  wrongMethod,
} from './front/request-checks.ts'
import { WholeLists } from './list-stream.ts'
import { pathOf, ServedPaths, withColons } from './path-tree.ts'
import { bodyBytes, routeOperation } from './route-operation.ts'
import { type SocketService, WebSockets } from './web-sockets.ts'

type ApiServerOptions = {
  readonly operations: readonly Operation[]
  readonly dialectRules: DialectRules
  readonly dialect: DialectSetting
  readonly log: Log
  readonly clock: Clock
  readonly limits: {
    readonly maxConnections: number
    readonly requestTimeoutMs: number
    readonly handlerTimeoutMs: number
  }
  /** The address of the caller; where absent, that of the connection. */
  readonly addressOf?: AddressReader
  /** Where stores are read from, where there are several such places. */
  readonly readings?: Replicas | undefined
  /**
   * Hosts it answers as (where absent: any), and web pages that may read it (where absent: none).
   */
  readonly web?: WebRules
  /** Requests that are answered, of all callers and of each; the defaults of the settings. */
  readonly load?: LoadLimits
  /** Talks over WebSockets; absent: none is opened. */
  readonly sockets?: SocketService
  /** Says how fresh answers of a chain are; without it only operations say it. */
  readonly freshChains?: FreshChains
  /** Refuses query parameters that an operation does not have. */
  readonly refusesUnknown?: boolean
  /** Where refusals are counted. */
  readonly gauges?: Gauges
  /** Refuses or counts a request before it is answered; throws a fault to refuse. */
  readonly admit?: (request: AdmissionRequest) => MaybePromise<AdmissionHeaders | undefined>
  /** Returns the sender of a request, for operations that keep something for their callers. */
  readonly callerOf?: (request: AdmissionRequest) => Caller
  /** Called after every answer, for the gauges. */
  readonly observe?: (operation: string, status: number, elapsedMs: number) => void
  /** Called after every answer, to count what each key has used. */
  readonly record?: (call: AnsweredCall) => void
  /**
   * Called with every 200 body before it is sent, and its text where the operation wrote that;
   * tests hold them against the operation's shape and each other.
   */
  readonly inspect?: (operation: Operation, body: unknown, json?: string) => void
}

/** How a server lets streams in. */
export type StreamAdmission = {
  /** Compute units of a stream, as those of a list. */
  readonly admit: (request: AdmissionRequest) => unknown
  readonly callerOf: (request: AdmissionRequest) => Caller
  readonly addressOf: (request: IncomingMessage) => string
  /** The lane of a request is free again: what follows is sent as it comes. */
  readonly release: (request: IncomingMessage) => void
}

/** A server ready to listen; routes beyond the operations may still be added to `http`. */
export type ApiServer = {
  readonly http: FastifyInstance
  /** Lets the streams beside the operations in. */
  readonly forStreams: StreamAdmission
  /** With `isShared` other threads of this process may listen there, too. */
  readonly listen: (host: string, port: number, isShared?: boolean) => Promise<string>
  readonly close: () => Promise<void>
}

const headersTimeoutMs = 5_000
const mostWholeLists = 16
/** Each holds a few MiB. Indexers have more of them at once than people have files. */
const mostLongAnswers = 64
const drainMs = 8_000

/**
 * Refuses to compile a schema: routes have none, as operations check their parameters themselves.
 * Without it Fastify would load its compilers, a tenth of what a start loads.
 */
function noSchema(): never {
  throw new Error('routes have no schemas')
}

/** Guides of tools write some paths with a slash at their end. */
const routerOptions = {
  ignoreTrailingSlash: true,
  maxParamLength: 2_048,
  querystringParser: parseQuery,
}

/** Builds the server over `operations`. */
export function createServer(options: ApiServerOptions): ApiServer {
  const addressOf = options.addressOf ?? addressReader([])
  const paths = new ServedPaths(absent)
  const checks = createRequestChecks(options.web ?? anyHost, paths)
  const { limiter, close: closeLimiter } = limitLoad({
    addressOf,
    common: checks.common,
    limits: options.load ?? usualLoadLimits,
    paths,
    clock: options.clock,
    log: options.log,
    gauges: options.gauges,
  })
  const forStreams = streamAdmission(options, addressOf, limiter)
  const { sockets: talks, clock, log } = options
  const sockets =
    talks && new WebSockets({ talks, limiter, checks, admission: forStreams, clock, log })
  const http = fastify({
    serverFactory: (handler) => serverBehind({ limiter, checks, sockets }, handler, options.limits),
    bodyLimit: bodyBytes,
    exposeHeadRoutes: true,
    // The checks of requests do.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    routerOptions,
    frameworkErrors: (error, request, reply) =>
      failUnrouted(error, reply, checks.common(request.raw)),
  })

  const complete = completer(checks, limiter)
  addHooks(http, options, { complete, paths })
  const deadlineOf = createDeadlines(options.clock)
  const fresh = createFreshReader(options.clock)
  const wholeLists = new WholeLists(mostWholeLists)
  const longAnswers = new WholeLists(mostLongAnswers)
  const own = { complete, limiter, deadlineOf, addressOf, fresh, wholeLists, longAnswers }
  const rest = { ...options, ...own }
  for (const operation of options.operations) routeOperation(http, rest, operation)

  return {
    http,
    forStreams,
    listen: (host, port, isShared = false) => {
      const at = { host, port, reusePort: isShared }
      return http.listen(at)
    },
    close: async () => {
      checks.close()
      const over = new AbortController()
      // Requests under way may finish; those that take longer than this are cut off.
      void options.clock
        .sleep(drainMs, over.signal)
        .then(() => http.server.closeAllConnections())
        .catch(() => undefined)
      const ended = http.close()
      // Once nothing listens here: whoever comes back at once finds the server that follows this one.
      await sockets?.close()
      await ended
      over.abort()
      closeLimiter()
    },
  }
}

function streamAdmission(
  { admit, callerOf }: ApiServerOptions,
  addressOf: AddressReader,
  limiter: LoadLimiter,
): StreamAdmission {
  return {
    admit: (request) => admit?.(request),
    callerOf: (request) => callerOf?.(request) ?? unknownCaller,
    addressOf,
    release: limiter.answered,
  }
}

/** Answers besides those of operations, and headers that all answers have. */
function addHooks(
  http: FastifyInstance,
  options: ApiServerOptions,
  of: { readonly complete: (reply: FastifyReply) => void; readonly paths: ServedPaths },
): void {
  const { complete, paths } = of
  // Nothing here takes text: it is what any web page may send without a preflight.
  http.removeContentTypeParser('text/plain')
  http.addContentTypeParser(formType, { parseAs: 'string' }, readForm)
  const usual = http.getDefaultJsonParser('error', 'error')
  http.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, text, done) => {
      void usual(request, text, (error, body: unknown) => {
        // What a call is answered with has its id, digit for digit.
        if (error !== null) done(error)
        else done(null, isForCalls(request, body) ? parseExact(text) : body)
      })
    },
  )
  http.addHook('onRoute', ({ url, method, config = {} }) => paths.add(url, [method].flat(), config))
  http.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const { methods = [], why } = paths.at(path) ?? {}
    // A route that finds nothing at its path is answered here, too.
    if (methods.length > 0 && !methods.includes(request.method)) {
      const { message, allow } = wrongMethod(request.method, methods)
      return sendFailure(reply.header('allow', allow), 405, message)
    }
    const meant = isRpcCall(request.body) ? ' (JSON-RPC: /v1/chains/{chainId}/rpc)' : ''
    const words = `no such route: ${request.method} ${path.slice(0, 200)}${meant}`
    return sendFailure(reply, 404, why ?? words)
  })
  http.setErrorHandler((error, _request, reply) =>
    fail(options.log, reply, { error, listsMessages: false }),
  )
  http.addHook('onSend', (_request, reply, _body, done) => {
    complete(reply)
    done()
  })
}

/** The target as it is routed. Tools that are given a host alone, as Foundry may be, speak the form of Etherscan there. */
function targetOf({ method, url = '/', headers }: IncomingMessage): string {
  const isForm = method === 'POST' && headers['content-type']?.startsWith(formType) === true
  const isAtRoot = url === '/' || url.startsWith('/?')
  return isAtRoot && (isForm || /[?&]module=/.test(url))
    ? `/v2/api${url.slice(1)}`
    : withColons(url)
}

/** The socket's side: slow clients are looked for every second and have five for their headers. */
function serverBehind(
  {
    limiter,
    checks,
    sockets,
  }: {
    readonly limiter: LoadLimiter
    readonly checks: RequestChecks
    readonly sockets: WebSockets | undefined
  },
  handler: Serve,
  limits: ApiServerOptions['limits'],
): Server {
  const serve = limiter.listener(checks.deciding(handler))
  const server = createHttpServer(
    {
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: Math.min(headersTimeoutMs, limits.requestTimeoutMs),
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      // The checks refuse requests without one in our own words.
      requireHostHeader: false,
      // Callers that offer another HTTP by the way are answered by this one.
      shouldUpgradeCallback: (request) => sockets?.isUpgrade(request) === true,
    },
    (request, response) => {
      request.url = targetOf(request)
      serve(request, response)
    },
  )
  server.maxConnections = limits.maxConnections
  checks.attach(server)
  limiter.attach(server)
  sockets?.attach(server)
  return server
}

/** Adds the headers that every answer has, and frees its lane. */
function completer(checks: RequestChecks, limiter: LoadLimiter): (reply: FastifyReply) => void {
  return (reply) => {
    const { raw } = reply.request
    for (const [name, value] of checks.common(raw)) {
      // Adds to `vary` what is there already.
      const before = name === 'vary' ? reply.getHeader(name) : undefined
      reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
    }
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
    limiter.answered(raw)
  }
}

/** A form is a body of the operations that say so; any web page may send one. */
function readForm(
  request: FastifyRequest,
  text: string | Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const { config } = request.routeOptions
  if ('takesForm' in config && config.takesForm === true)
    return done(null, parseQuery(String(text)))
  done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(formType))
}

/** Query text to values; a name given twice becomes a list. */
function parseQuery(text: string): Record<string, string | string[]> {
  if (text === '') return {}
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    if (before === undefined) values.set(name, value)
    else if (typeof before === 'string') values.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(values)
}

const vertices =
  'vertices of the X-Chain before Cortina are not offered: nodes give them without a time'
const rpcUsage =
  'use of RPC is not offered: calls of nodes go through the node listener, which has no keys'

/** Paths that official clients have and this service deliberately does not, and why. */
const absent: Readonly<Record<string, string>> = {
  '/v1/networks/{network}/blockchains/{blockchainId}/vertices': vertices,
  '/v1/networks/{network}/blockchains/{blockchainId}/vertices:listByHeight': vertices,
  '/v1/networks/{network}/blockchains/{blockchainId}/vertices/{vertexHash}': vertices,
  '/v2/chains/{chainId}/btcb/bridged:getAddresses':
    'lists of users of the BTC.b bridge are not offered: they need the bridge operator’s records',
  '/v1/rpcUsageMetrics': rpcUsage,
  '/v1/subnetRpcUsageMetrics': rpcUsage,
  '/v2/lookingGlass/compositeQuery':
    'composite queries are not offered: call the lists it is made of, and join them',
}
