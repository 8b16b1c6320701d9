/**
 * A JSON-RPC request as the original's server reads it: members in any case, `null` as if absent.
 *
 * Source: gorilla/rpc v2/json2/server.go, avalanchego utils/json/codec.go.
 */

import { isDeeper, isExactNumber, isObject, parseExact } from '../../core/json.ts'

/** A parsed request. Absent and `null` are the same; numbers are as {@link parseExact} gives them. */
export type RpcRequest = {
  readonly version: string
  readonly method: string
  readonly params: unknown
  readonly id: unknown
}

/** A request, or what is wrong with it together with what was understood before. */
export type ReadRequest = { readonly request: RpcRequest; readonly problem?: string }

/** Reads a body. Of members that differ in case only the last wins. */
export function readRequest(body: Uint8Array): ReadRequest {
  const empty = { version: '', method: '', params: undefined, id: undefined }
  let value: unknown
  try {
    value = parseExact(body)
  } catch {
    return { request: empty, problem: 'the body is not JSON' }
  }
  if (value === null) return { request: empty }
  if (!isObject(value) || isExactNumber(value))
    return { request: empty, problem: 'a request is an object' }
  if (isDeeper(value)) return { request: empty, problem: 'exceeded max depth' }
  const members = new Map(Object.entries(value).map(([key, each]) => [key.toUpperCase(), each]))
  const [version, method] = ['JSONRPC', 'METHOD'].map((name) => members.get(name) ?? '')
  const request = {
    version: typeof version === 'string' ? version : '',
    method: typeof method === 'string' ? method : '',
    params: members.get('PARAMS') ?? undefined,
    id: members.get('ID') ?? undefined,
  }
  return request.version === version && request.method === method
    ? { request }
    : { request, problem: 'jsonrpc and method are text' }
}

/** Parameters of a method by name: text, or a list of texts. */
export type ParamsShape = Readonly<Record<string, 'text' | 'texts'>>

/** Arguments of a call. A member that is absent or null is not there. */
export type Arguments = { readonly [name: string]: string | readonly string[] | undefined }

/**
 * The arguments in `params`: an object, or a list whose first element is one; `undefined` when
 * their form is wrong. Unknown members are ignored.
 */
export function readArguments(params: unknown, shape: ParamsShape): Arguments | undefined {
  const named: unknown = Array.isArray(params) ? (params[0] ?? undefined) : params
  if (named === undefined) return {}
  if (!isObject(named) || isExactNumber(named)) return undefined
  const found = new Map<string, string | readonly string[]>()
  for (const [key, value] of Object.entries(named)) {
    const known = Object.entries(shape).find(([one]) => one.toUpperCase() === key.toUpperCase())
    if (known === undefined || value === null) continue
    const [name, form] = known
    if (form === 'text' ? typeof value !== 'string' : !isTexts(value)) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at above
    found.set(name, value as string | readonly string[])
  }
  return Object.fromEntries(found)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
