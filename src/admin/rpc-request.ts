/**
 * A JSON-RPC request as the original's server reads it.
 *
 * Source: gorilla/rpc v2/json2/server.go, avalanchego utils/json/codec.go.
 */

import {
  compactText,
  scanJson,
  spanText,
  type JsonKind,
  type Member,
  type Span,
} from './json-scan.ts'

/** A parsed request. `params` and `id` are JSON texts; absent and null are the same. */
export type RpcRequest = {
  readonly version: string
  readonly method: string
  readonly params: string | undefined
  readonly id: string | undefined
}

/** A request, or what is wrong with it together with what was understood before. */
export type ReadRequest = { readonly request: RpcRequest; readonly problem?: string }

/** Reads the first JSON value of a body. Members are found in any case, the last of a name wins. */
export function readRequest(body: Uint8Array): ReadRequest {
  const empty = { version: '', method: '', params: undefined, id: undefined }
  const scanned = scanJson(body)
  if (!scanned.ok) return { request: empty, problem: scanned.message }
  if (scanned.kind === 'null') return { request: empty }
  if (scanned.kind !== 'object') {
    const problem = `json: cannot unmarshal ${scanned.kind} into Go value of type json2.serverRequest`
    return { request: empty, problem }
  }
  const texts = { jsonrpc: '', method: '' }
  const raws: { params: string | undefined; id: string | undefined } = {
    params: undefined,
    id: undefined,
  }
  let problem: string | undefined
  for (const { key, kind, value } of scanned.members) {
    const name = key.toUpperCase()
    if (name === 'PARAMS') raws.params = rawText(body, kind, value)
    else if (name === 'ID') raws.id = rawText(body, kind, value)
    else if (name === 'JSONRPC' || name === 'METHOD') {
      const field = name === 'JSONRPC' ? 'jsonrpc' : 'method'
      if (kind === 'string') texts[field] = textOf(body, value)
      else if (kind !== 'null') problem ??= wrongKind(kind, field)
    }
  }
  const request = { version: texts.jsonrpc, method: texts.method, ...raws }
  return problem === undefined ? { request } : { request, problem }
}

/** Parameters of a method by name: text, or a list of texts. */
export type ParamsShape = Readonly<Record<string, 'text' | 'texts'>>

/** Arguments of a call. A member that is absent or null is not there. */
export type Arguments = { readonly [name: string]: string | readonly string[] | undefined }

/**
 * The arguments in `params`: an object, or a list whose first element is one; `undefined` when
 * their form is wrong. Unknown members are ignored.
 */
export function readArguments(
  params: string | undefined,
  shape: ParamsShape,
): Arguments | undefined {
  if (params === undefined) return {}
  const bytes = new TextEncoder().encode(params)
  const scanned = scanJson(bytes)
  if (!scanned.ok) return undefined
  if (scanned.kind === 'object') return argumentsOf(bytes, scanned.members, shape)
  if (scanned.kind !== 'array') return undefined
  const [first] = scanned.members
  if (first === undefined || first.kind === 'null') return {}
  if (first.kind !== 'object') return undefined
  const inner = bytes.subarray(first.value.from, first.value.until)
  const object = scanJson(inner)
  return object.ok ? argumentsOf(inner, object.members, shape) : undefined
}

function argumentsOf(
  bytes: Uint8Array,
  members: readonly Member[],
  shape: ParamsShape,
): Arguments | undefined {
  const found = new Map<string, string | readonly string[]>()
  for (const { key, kind, value } of members) {
    const known = Object.entries(shape).find(([one]) => one.toUpperCase() === key.toUpperCase())
    if (known === undefined || kind === 'null') continue
    const [name, form] = known
    const read = form === 'text' ? oneText(bytes, kind, value) : texts(bytes, kind, value)
    if (read === undefined) return undefined
    found.set(name, read)
  }
  return Object.fromEntries(found)
}

function oneText(bytes: Uint8Array, kind: JsonKind, value: Span): string | undefined {
  return kind === 'string' ? textOf(bytes, value) : undefined
}

function texts(bytes: Uint8Array, kind: JsonKind, value: Span): readonly string[] | undefined {
  if (kind !== 'array') return undefined
  const inner = bytes.subarray(value.from, value.until)
  const list = scanJson(inner)
  if (!list.ok || list.members.some((member) => member.kind !== 'string')) return undefined
  return list.members.map((member) => textOf(inner, member.value))
}

function textOf(bytes: Uint8Array, value: Span): string {
  return String(JSON.parse(spanText(bytes, value)))
}

function rawText(bytes: Uint8Array, kind: JsonKind, value: Span): string | undefined {
  return kind === 'null' ? undefined : compactText(bytes, value)
}

function wrongKind(kind: JsonKind, field: string): string {
  return `json: cannot unmarshal ${kind} into Go struct field serverRequest.${field} of type string`
}
