/**
 * JSON-RPC over HTTP with the replies of the original, byte for byte.
 *
 * Every answer is 200 but for what is wrong with the HTTP request itself. A request without an id
 * runs and is answered by nothing. Source: gorilla/rpc v2/server.go, v2/json2/server.go.
 */

import { faultOf } from '../../core/fault.ts'
import { ownValue } from '../../core/json.ts'
import type { Log } from '../../telemetry/log.ts'
import { type NodeReply, type NodeRequest, mediaTypeOf, textReply } from '../node-http.ts'
import {
  readArguments,
  readRequest,
  type Arguments,
  type ParamsShape,
  type RpcRequest,
} from './rpc-request.ts'

/** One method: what it takes, and what it does. A fault's message is the error answered. */
export type RpcMethod = {
  readonly params: ParamsShape
  /** Refuses well-formed arguments before the method counts as called, as for a bad level. */
  readonly accepts?: (args: Arguments) => boolean
  readonly call: (args: Arguments, signal: AbortSignal) => unknown
}

/** Methods by service and name, for instance `admin` and `aliasChain`. */
export type RpcServices = Readonly<Record<string, Readonly<Record<string, RpcMethod>>>>

/** Called after each call that reached a method. */
export type CallWatcher = (method: string, outcome: 'ok' | 'error') => void

type Outcome = { readonly result: unknown } | { readonly error: RpcError }
type RpcError = { readonly code: number; readonly message: string; readonly data?: string }

const parseError = -32_700
const invalidRequest = -32_600
const serverError = -32_000

const badArgument =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

/** The handler of one endpoint. */
export function rpcHandler(
  services: RpcServices,
  log: Log,
  watch: CallWatcher = () => undefined,
): (request: NodeRequest) => Promise<NodeReply> {
  return async (request) => {
    if (request.method !== 'POST') {
      return textReply(405, `rpc: POST method required, received ${request.method}`)
    }
    if (mediaTypeOf(request) !== 'application/json') {
      return textReply(415, `rpc: unrecognized Content-Type: ${request.contentType.split(';')[0]}`)
    }
    const { request: rpc, problem } = readRequest(request.body)
    if (problem !== undefined) {
      return errorReply(rpc, { code: parseError, message: problem, data: asRead(rpc) })
    }
    if (rpc.version !== '2.0') {
      const error = { code: invalidRequest, message: 'jsonrpc must be 2.0', data: asRead(rpc) }
      return errorReply(rpc, error)
    }
    const outcome = await dispatch(rpc, { services, log, watch, signal: request.signal })
    return 'error' in outcome ? errorReply(rpc, outcome.error) : resultReply(rpc, outcome.result)
  }
}

type Dispatch = {
  readonly services: RpcServices
  readonly log: Log
  readonly watch: CallWatcher
  readonly signal: AbortSignal
}

async function dispatch(rpc: RpcRequest, parts: Dispatch): Promise<Outcome> {
  const found = findMethod(rpc.method, parts.services)
  if (typeof found === 'string') return refused(found)
  const args = readArguments(rpc.params, found.method.params)
  if (args === undefined || found.method.accepts?.(args) === false) return refused(badArgument)
  const [service, method] = [found.service, found.name]
  parts.log.debug('API called', { service, method, arguments: args })
  const name = `${service}.${method}`
  try {
    const result = await found.method.call(args, parts.signal)
    parts.watch(name, 'ok')
    return { result }
  } catch (error) {
    parts.watch(name, 'error')
    const fault = faultOf(error)
    if (fault === undefined) parts.log.error('method failed', { service, method, error })
    return refused(fault?.message ?? 'internal error')
  }
}

type Found = { readonly service: string; readonly name: string; readonly method: RpcMethod }

/** The method, or the error's text. */
function findMethod(method: string, services: RpcServices): Found | string {
  const dot = method.indexOf('.')
  const first = dot === -1 ? undefined : /^./su.exec(method.slice(dot + 1))?.[0]
  if (first !== undefined && /^\p{Lu}$/u.test(first)) {
    return 'method must start with a non-uppercase letter'
  }
  const shown = first === undefined ? method : upperFunction(method, dot, first)
  const parts = method.split('.')
  if (parts.length !== 2) {
    return `rpc: service/method request ill-formed: ${JSON.stringify(shown)}`
  }
  const [service = '', name = ''] = parts
  const methods = ownValue(services, service)
  if (methods === undefined) return `rpc: can't find service ${JSON.stringify(shown)}`
  const found = ownValue(methods, name)
  if (found === undefined) return `rpc: can't find method ${JSON.stringify(shown)}`
  return { service, name, method: found }
}

/** The method with the first letter of its function in upper case, as Go names it. */
function upperFunction(method: string, dot: number, first: string): string {
  const upper = first.toUpperCase()
  const letter = /^.$/su.test(upper) ? upper : first
  return method.slice(0, dot + 1) + letter + method.slice(dot + 1 + first.length)
}

function refused(message: string): Outcome {
  return { error: { code: serverError, message } }
}

/** The request as it was understood, which is the `data` of errors about the request itself. */
function asRead({ version, method, params, id }: RpcRequest): string {
  const [jsonrpc, name] = [toJson(version), toJson(method)]
  return `{"jsonrpc":${jsonrpc},"method":${name},"params":${toJson(params ?? null)},"id":${toJson(id ?? null)}}`
}

function errorReply(rpc: RpcRequest, error: RpcError): NodeReply {
  const { code, message, data = 'null' } = error
  if (rpc.id === undefined && code !== parseError) return silentReply
  const member = `"error":{"code":${code},"message":${toJson(message)},"data":${data}}`
  return rpcReply(member, rpc.id)
}

function resultReply(rpc: RpcRequest, result: unknown): NodeReply {
  return rpc.id === undefined ? silentReply : rpcReply(`"result":${toJson(result)}`, rpc.id)
}

const silentReply: NodeReply = { status: 200, body: '' }

function rpcReply(member: string, id: unknown): NodeReply {
  const body = `{"jsonrpc":"2.0",${member},"id":${toJson(id ?? null)}}\n`
  return { status: 200, contentType: 'application/json; charset=utf-8', body }
}

/** JSON of a value as Go writes it: `<`, `>`, `&` and the line separators escaped. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, bigintAsText).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  )
}

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
