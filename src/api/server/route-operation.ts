/**
 * The route of an operation: from the framework's request to the answer.
 *
 * Every list goes through here, so a request makes no closure and no object that it may do without:
 * what few operations need, a signal and the caller, is made when they read it.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Validator } from 'typebox/compile'

import { Fault } from '../../core/fault.ts'
import { isDeeper, isObject, ownValue } from '../../core/json.ts'
import type { Contract } from '../../shape/operations/contract.ts'
import type { Schema } from '../../shape/type.ts'
import type { Replicas } from '../../store/engine/replicas.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Deadline } from '../operation/deadlines.ts'
import {
  type FreshChainOf,
  type FreshChains,
  freshHeaders,
  type FreshReader,
  minHeightOf,
} from '../operation/freshness.ts'
import { listShapeOf } from '../operation/list-columns.ts'
import { formatOf } from '../operation/list-format.ts'
import {
  type Caller,
  unknownCaller,
  type Input,
  type Operation,
  type Answer,
} from '../operation/operation.ts'
import { type ParameterReader, parameterReader, unknownRefuser } from '../operation/parameters.ts'
import type { AdmissionRequest } from './admission/admission.ts'
import type { AnsweredCall } from './admission/call-recorder.ts'
import { fail } from './failed-request.ts'
import type { LoadLimiter } from './front/load-limits.ts'
import type { AddressReader } from './front/proxy-address.ts'
import { placedAnswer, plainQuery, reachToken } from './read-position.ts'
import { callerOf, send, sendList, type SendOptions, varyOf } from './send-answer.ts'

/** All that a route takes of the server. */
export type RouteOptions = SendOptions & {
  readonly log: Log
  readonly limits: { readonly handlerTimeoutMs: number }
  readonly addressOf: AddressReader
  readonly readings?: Replicas | undefined
  readonly freshChains?: FreshChains | undefined
  /** Refuses query parameters that an operation does not have. */
  readonly refusesUnknown?: boolean | undefined
  readonly callerOf?: ((request: AdmissionRequest) => Caller) | undefined
  readonly observe?: ((operation: string, status: number, elapsedMs: number) => void) | undefined
  readonly record?: ((call: AnsweredCall) => void) | undefined
  readonly limiter: LoadLimiter
  readonly deadlineOf: (timeoutMs: number) => Deadline
  readonly fresh: FreshReader
}

/** Most bytes of a body. Operations that take one may have more: lists of addresses, Warp messages. */
export const bodyBytes = 64 * 1_024
const wideBodyBytes = 512 * 1_024

/** Adds the route of `operation`. */
export function routeOperation(
  http: FastifyInstance,
  options: RouteOptions,
  operation: Operation,
): void {
  const route = new Route(options, operation)
  const { method, path, parameters, lane, listMessages = false } = operation.contract
  const { takesForm = false, isJsonRpc = false } = operation.contract
  const usualBytes = parameters.body === undefined ? bodyBytes : wideBodyBytes
  const { readings } = options
  http.route({
    method,
    url: routePath(path),
    bodyLimit: operation.contract.bodyBytes ?? usualBytes,
    config: { lane, listMessages, takesForm, isJsonRpc },
    handler:
      readings === undefined
        ? (request, reply) => route.handle(request, reply)
        : (request, reply) => readings.during(() => route.handle(request, reply)),
  })
}

/**
 * `{name}` becomes `:name`, a literal `:verb` becomes `::verb`. A parameter right before a verb
 * says where it ends, else the router takes the verb for a part of its name.
 */
export function routePath(path: string): string {
  return path
    .replace(/:/g, '::')
    .replace(/\{(\w+)\}(?=::)/g, ':$1(^[^:/]*)')
    .replace(/\{(\w+)\}/g, ':$1')
}

/** A request and the reply to it. */
class Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly #route: Route
  #deadline: Deadline | undefined
  #isFollowed = false

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply) {
    this.#route = route
    this.request = request
    this.reply = reply
  }

  /** Aborted when the caller goes away or the time is over. */
  get signal(): AbortSignal {
    this.#follow()
    return (this.#deadline ??= this.#route.deadline()).signal
  }

  /** Begins the time anew: each page of a list has it. */
  renew(): void {
    this.#deadline?.end()
    this.#deadline = undefined
  }

  #follow(): void {
    if (this.#isFollowed) return
    this.#isFollowed = true
    this.reply.raw.once('close', () => {
      this.#deadline?.end()
      if (!this.reply.raw.writableFinished) this.#deadline?.abandon()
    })
  }

  /** The caller. */
  get caller(): Caller {
    const { callerOf: callerOfRequest, addressOf } = this.#route.options
    return callerOfRequest?.(callerOf(this.request, addressOf, 0)) ?? unknownCaller
  }

  async charge(weight: number): Promise<void> {
    const { admit, addressOf } = this.#route.options
    await admit?.(callerOf(this.request, addressOf, weight))
  }
}

type Values = ReturnType<ParameterReader>

/** Input of an operation. */
class RequestInput implements Input<Contract> {
  readonly path: Values
  readonly query: Values
  readonly body: never
  readonly #exchange: Exchange

  constructor(exchange: Exchange, path: Values, query: Values, body: unknown) {
    this.#exchange = exchange
    this.path = path
    this.query = query
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bodyReader checked it by the shape
    this.body = body as never
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get caller(): Caller {
    return this.#exchange.caller
  }

  readonly charge = (weight: number): Promise<void> => this.#exchange.charge(weight)
}

/** One operation between the framework and its answer. */
class Route {
  readonly options: RouteOptions
  readonly #operation: Operation
  readonly #readPath: ParameterReader
  readonly #readQuery: ParameterReader
  readonly #refuseUnknown: ReturnType<typeof unknownRefuser> | undefined
  readonly #readBody: ReturnType<typeof bodyReader> | undefined
  readonly #list: ReturnType<typeof listShapeOf>
  readonly #chainOf: FreshChainOf | undefined
  readonly #vary: string

  constructor(options: RouteOptions, operation: Operation) {
    const { contract } = operation
    const { path, query, body } = contract.parameters
    this.options = options
    this.#operation = operation
    this.#readPath = parameterReader(path)
    this.#readQuery = contract.anyQuery === true ? (raw) => raw : parameterReader(query)
    const isStrict = options.refusesUnknown === true && contract.anyQuery !== true
    this.#refuseUnknown = isStrict ? unknownRefuser(query) : undefined
    this.#readBody = body === undefined ? undefined : bodyReader(body)
    this.#list = listShapeOf(contract)
    this.#chainOf = options.freshChains?.(contract.path)
    this.#vary = varyOf(options, operation)
  }

  deadline(): Deadline {
    const { deadlineOf, limits } = this.options
    return deadlineOf(this.#operation.contract.timeoutMs ?? limits.handlerTimeoutMs)
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { limiter, clock, log } = this.options
    // From its headers on: waiting for a turn is part of what the caller waits.
    const startedAt = limiter.since(request.raw) ?? clock.monotonic()
    try {
      const turn = limiter.turn(request.raw, reply.raw)
      if (turn !== undefined) await turn
      return await this.#answered(new Exchange(this, request, reply))
    } catch (error) {
      const listsMessages = this.#operation.contract.listMessages === true
      return fail(log, reply, { error, listsMessages })
    } finally {
      this.#record(request, reply, startedAt)
    }
  }

  async #answered(exchange: Exchange): Promise<FastifyReply> {
    const { request, reply } = exchange
    const options = this.options
    const operation = this.#operation
    const vary = this.#vary
    const { open, weight } = operation.contract
    if (open !== true && options.admit !== undefined) {
      // What is there is not waited for: a wait costs every request, and few callers have a limit.
      const admitted = options.admit(callerOf(request, options.addressOf, weight))
      const headers = admitted instanceof Promise ? await admitted : admitted
      if (headers !== undefined) reply.headers(headers)
    }
    const path = this.#readPath(rawOf(request.params))
    const list = this.#list
    const raw = rawOf(request.query)
    const wanted = list === undefined ? undefined : raw['format']
    if (wanted !== undefined) delete raw['format']
    const isWhole = raw['pageSize'] === undefined
    this.#refuseUnknown?.(raw)
    const query = this.#readQuery(raw)
    if (options.readings !== undefined)
      await reachToken(options.readings, Reflect.get(query, 'pageToken'))
    const minHeight = minHeightOf(raw)
    const chain = this.#chainOf?.(rawOf(request.params))
    if (chain !== undefined) {
      if (minHeight !== undefined) await options.fresh.reach(chain, minHeight, exchange.signal)
      reply.headers(freshHeaders(await options.fresh.read(chain)))
    } else if (minHeight !== undefined)
      throw new Fault('bad-parameter', 'minHeight is for operations of one chain')
    const format = list === undefined ? undefined : formatOf(request.headers.accept, wanted)
    if (list === undefined || format === undefined) {
      const answer = await this.#answer(exchange, path, query)
      return send({ options, operation, request, reply, vary, answer })
    }
    const answerPage = (page: Values): Promise<Answer> => {
      exchange.renew()
      return this.#answer(exchange, path, page)
    }
    return sendList(
      { options, operation, request, reply, vary },
      { format, list, query, isWhole, answerPage },
    )
  }

  async #answer(exchange: Exchange, path: Values, query: Values): Promise<Answer> {
    const { readings } = this.options
    const body =
      this.#readBody === undefined ? undefined : await this.#readBody(exchange.request.body)
    if (readings === undefined)
      return this.#operation.answer(new RequestInput(exchange, path, query, body))
    const answer = await this.#operation.answer(
      new RequestInput(exchange, path, plainQuery(query), body),
    )
    return placedAnswer(readings, answer)
  }

  /** Records an answer: the gauges, and what keys have used. */
  #record(request: FastifyRequest, reply: FastifyReply, startedAt: number): void {
    const { clock, observe, record, addressOf } = this.options
    const { id, path, weight } = this.#operation.contract
    const elapsedMs = clock.monotonic() - startedAt
    const status = reply.statusCode
    observe?.(id, status, elapsedMs)
    if (record === undefined) return
    const chain = ownValue(rawOf(request.params), 'chainId')
    record({
      path,
      chain: typeof chain === 'string' ? chain : '',
      status,
      elapsedMs,
      request: callerOf(request, addressOf, weight),
    })
  }
}

function rawOf(value: unknown): Record<string, string | string[] | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router gives text by name
  return value as Record<string, string | string[] | undefined>
}

/**
 * Checks a parsed body; rejects with `bad-parameter` naming each member that does not fit.
 *
 * The compiler is loaded with the first body: few callers send one, and it takes 100 ms.
 */
function bodyReader(schema: Schema): (body: unknown) => Promise<unknown> {
  let compiled: ReturnType<typeof compile> | undefined
  return async (body) => {
    const wantsObject = 'type' in schema && schema.type === 'object'
    if (wantsObject && !isObject(body)) {
      throw new Fault('bad-parameter', 'the body must be a JSON object')
    }
    if (isDeeper(body)) throw new Fault('bad-parameter', 'the body has lists in lists too deep')
    const check = await (compiled ??= compile(schema))
    if (check.Check(body)) return body
    const problems = new Set<string>()
    for (const error of check.Errors(body)) {
      const name = error.instancePath.slice(1).replaceAll('/', '.')
      problems.add(`${name === '' ? 'the body' : name} ${error.message}`)
    }
    throw new Fault('bad-parameter', [...problems].slice(0, 10).join('; '))
  }
}

async function compile(schema: Schema): Promise<Validator> {
  const { Compile } = await import('typebox/compile')
  return Compile(schema)
}
