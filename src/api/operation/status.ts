/** HTTP status of each fault, the message that callers get, and the forms of JSON-RPC 2.0. */

import { type Fault, type FaultCode, faults } from '../../core/fault.ts'
import { isExactNumber, isObject } from '../../core/json.ts'

/** Status by fault code. Never 5xx for what trying again cannot change: clients retry those. */
export const statusOf: Readonly<Record<FaultCode, number>> = {
  'bad-bytes': 400,
  'bad-text': 400,
  'bad-parameter': 400,
  'bad-page-token': 400,
  'bad-config': 500,
  'address-taken': 500,
  'not-found': 404,
  'not-ready': 503,
  'key-required': 401,
  forbidden: 403,
  'rate-limited': 429,
  overloaded: 503,
  'not-served': 503,
  'node-unreachable': 503,
  'node-throttled': 503,
  'node-too-large': 503,
  'node-answer': 503,
  'node-not-yet': 503,
  'rows-refuted': 503,
  'rows-altered': 503,
  'node-refused': 503,
  'foreign-store': 500,
  'source-mismatch': 503,
  'state-violation': 503,
  'store-version': 503,
  'store-full': 503,
  'store-failed': 503,
  'lease-lost': 503,
  'quorum-not-reached': 400,
  'no-message': 404,
  'peer-misbehaved': 503,
}

/** Faults whose own words name databases, files and processes of the operator. */
const inward: ReadonlySet<FaultCode> = new Set([
  'bad-config',
  'store-version',
  'store-full',
  'store-failed',
  'rows-altered',
  'lease-lost',
])

/** The message that a caller gets for a fault; the log has its own words. */
export function publicWords({ code, message }: Fault): string {
  return inward.has(code) ? faults[code].meaning : message
}

/** `error` of an error body. Source: documents A, B and C, part Errors. */
export const errorWords: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Every error answer of the data API. */
type ErrorBody = {
  readonly message: string | readonly string[]
  readonly error: string
  readonly statusCode: number
}

/** An error body with the standard word of its status. */
export function errorBody(statusCode: number, message: string | readonly string[]): ErrorBody {
  return { message, error: errorWords[statusCode] ?? 'Error', statusCode }
}

/** Codes of failures. Source: JSON-RPC 2.0, section 5.1; EIP-1474. */
export const rpcCodes = {
  notJson: -32_700,
  invalid: -32_600,
  unknownMethod: -32_601,
  invalidParameters: -32_602,
  tooMany: -32_005,
  failed: -32_000,
} as const

/** An answer to a call. */
export type RpcReply = Readonly<Record<string, unknown>>

/** Returns whether a body is a call, or a list that begins with one. */
export function isRpcCall(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return isObject(first) && first['jsonrpc'] === '2.0'
}

/** The failure of `call`; a list, or what is no call, has no id that could be repeated. */
export function rpcFailure(call: unknown, code: number, message: string): RpcReply {
  return { jsonrpc: '2.0', id: rpcIdOf(call), error: { code, message } }
}

/** The id of a call, a number with its digits; `null` where it has none. */
export function rpcIdOf(call: unknown): unknown {
  const id = isObject(call) ? call['id'] : undefined
  return typeof id === 'string' || isExactNumber(id) ? id : null
}
