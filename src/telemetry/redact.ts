/**
 * The form of a field in a log line: plain JSON without keys, tokens, and passwords in URLs.
 *
 * Node URLs often carry a key in their path, query or user-info: only scheme, host and six
 * characters of a hash are kept, enough to distinguish two endpoints of one host.
 */

import { clip, to0x, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { sha256 } from '../core/hash.ts'

/** Fields as a caller hands them over. */
export type LogFields = Readonly<Record<string, unknown>>

/** Fields safe to print and to send between threads. */
export type PlainFields = Record<string, unknown>

// A field by one of these names is a secret whatever it holds. Compared without case, `-` and `_`.
const secretNames = new Set([
  'xserviceapikey',
  'xglacierapikey',
  'apikey',
  'authorization',
  'cookie',
  'setcookie',
  'rltoken',
  'password',
  'secret',
  'privatekey',
  'token',
  'bearer',
])

// Members every line has already.
const ownNames = new Set(['level', 'timestamp', 'logger', 'msg'])

const hidden = '[redacted]'

// Deeper than four levels a field is no longer a log field; wider than 64 members neither.
const maxDepth = 4
const maxMembers = 64
// A single text of a line; a stack trace of ten frames fits.
const maxTextLength = 4_096

/** The fields with secrets removed, as plain JSON values. Newlines in texts become `\n`. */
export function plainFields(fields: LogFields): PlainFields {
  const plain = new Map<string, unknown>()
  for (const [name, value] of Object.entries(fields).slice(0, maxMembers)) {
    if (value === undefined) continue
    plain.set(ownNames.has(name) ? `${name}_` : name, plainMember(name, value, 0))
  }
  return Object.fromEntries(plain)
}

/** `text` without user-info, paths and queries of URLs, API keys and values of `rltoken` and `apikey`. */
export function redactText(text: string): string {
  return text
    .slice(0, maxTextLength)
    .replace(/\b(?!file:)[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>]+/gi, redactUrl)
    .replace(/\bavk_[A-Za-z0-9]{8}_[A-Za-z0-9]+/g, (key) => `${key.slice(0, 12)}_${hidden}`)
    .replace(/\b((?:rltoken|apikey)=)[^&\s"']+/gi, `$1${hidden}`)
}

/** Scheme and host of a URL, and six characters of its hash when there was more to it. */
export function redactUrl(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)(.*)$/i.exec(url)
  if (match === null) return hidden
  const [, scheme = '', host = '', rest = ''] = match
  const bare = scheme + host
  const whole = rest === '' || rest === '/' ? bare === url || `${bare}/` === url : false
  return whole ? bare : `${bare}#${toHex(sha256(new TextEncoder().encode(url))).slice(0, 6)}`
}

function plainMember(name: string, value: unknown, depth: number): unknown {
  const key = name.toLowerCase().replaceAll(/[-_]/g, '')
  return secretNames.has(key) ? hidden : plainValue(value, depth)
}

function plainValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value)
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : plainObject(value, depth)
    default:
      return typeof value
  }
}

function plainObject(value: object, depth: number): unknown {
  if (value instanceof Error) return plainError(value, depth)
  if (value instanceof Uint8Array) return clip(to0x(value.subarray(0, 40)))
  if (value instanceof Date) return value.toISOString()
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, maxMembers).map((item: unknown) => plainValue(item, depth + 1))
  }
  const plain = new Map<string, unknown>()
  for (const [name, member] of Object.entries(value).slice(0, maxMembers)) {
    if (member !== undefined) plain.set(name, plainMember(name, member, depth + 1))
  }
  return Object.fromEntries(plain)
}

function plainError(error: Error, depth: number): PlainFields {
  const plain: PlainFields = { name: error.name, message: redactText(error.message) }
  if (error instanceof Fault) {
    plain['code'] = error.code
    plain['detail'] = plainObject(error.detail, depth + 1)
  } else if (error.stack !== undefined) {
    // An unexpected error is a bug: its place is what helps.
    plain['stack'] = redactText(error.stack.split('\n').slice(1, 9).join('\n'))
  }
  if (error.cause instanceof Error && depth < maxDepth) {
    plain['cause'] = plainError(error.cause, depth + 1)
  }
  return plain
}
