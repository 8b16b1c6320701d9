/** The forms of JSON-RPC 2.0: what is a call, and how a failure is told. */

import { isObject } from '../../core/json.ts'

/** Codes of failures. Source: JSON-RPC 2.0, section 5.1; EIP-1474. */
export const rpcCodes = {
  notJson: -32_700,
  invalid: -32_600,
  unknownMethod: -32_601,
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

/** The failure of `call`; a list, or what is no call, has no id that could be told. */
export function rpcFailure(call: unknown, code: number, message: string): RpcReply {
  return { jsonrpc: '2.0', id: rpcIdOf(call), error: { code, message } }
}

/** The id of a call; `null` where it has none. */
export function rpcIdOf(call: unknown): string | number | null {
  const id = isObject(call) ? call['id'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
