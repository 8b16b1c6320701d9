/** Where in an operator's file something is wrong. */

import { Fault } from '../../core/fault.ts'

/** A fault that names the file, the line and the column, both from 1. */
export function wrongAt(
  file: string,
  place: { readonly line: number; readonly column: number },
  what: string,
): Fault {
  return new Fault('bad-config', `${file}, line ${place.line}, column ${place.column}: ${what}`)
}

/** Line and column of an offset. */
export function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** JSON of an operator's file. Throws `bad-config` with line and column. */
export function parseJsonFile(file: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw wrongAt(file, placeIn(text, errorOffset(text)), 'not JSON')
  }
}

const jsonToken =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/uy

/** Offset of the first token that JSON does not allow where it stands. Source: RFC 8259. */
function errorOffset(text: string): number {
  const open: string[] = []
  let allowed: readonly string[] = valueHere
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, jsonToken.lastIndex)) {
    jsonToken.lastIndex = at
    const token = jsonToken.exec(text)?.[0]
    if (token === undefined) return at
    const kind = kindOf(token, allowed)
    if (!allowed.includes(kind)) return at
    if (kind === 'open') open.push(token)
    if (kind === 'close' && open.pop() !== (token === ']' ? '[' : '{')) return at
    allowed = allowedAfter(kind, open.at(-1))
  }
  return text.length
}

function kindOf(token: string, allowed: readonly string[]): string {
  if (token === '{' || token === '[') return allowed.includes('value') ? 'open' : 'wrong'
  if (token === '}' || token === ']') return 'close'
  if (token === ',' || token === ':') return token
  return allowed.includes('key') && token.startsWith('"') ? 'key' : 'value'
}

function allowedAfter(kind: string, inside: string | undefined): readonly string[] {
  switch (kind) {
    case 'key':
      return [':']
    case ':':
      return valueHere
    case ',':
      return inside === '{' ? ['key'] : valueHere
    case 'open':
      return inside === '{' ? ['key', 'close'] : [...valueHere, 'close']
    default:
      return inside === undefined ? [] : [',', 'close']
  }
}

const valueHere = ['value', 'open'] as const

/**
 * Offset of the value at `path` in the well-formed JSON `text`; where the path leads nowhere, that
 * of the innermost value that exists on it.
 */
export function offsetOf(text: string, path: readonly (string | number)[]): number {
  let at = skipSpace(text, 0)
  for (const step of path) {
    const inside = childOf(text, at, step)
    if (inside === undefined) return at
    at = inside
  }
  return at
}

function childOf(text: string, start: number, step: string | number): number | undefined {
  const isList = text[start] === '['
  if (!isList && text[start] !== '{') return undefined
  let at = skipSpace(text, start + 1)
  for (let index = 0; text[at] !== ']' && text[at] !== '}' && at < text.length; index++) {
    let name: unknown = index
    if (!isList) {
      const end = endOfString(text, at)
      name = JSON.parse(text.slice(at, end))
      // Behind the colon.
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    if (name === step) return at
    at = skipSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}

function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at) - 1
    else if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') {
      if (depth === 0) return at
      depth--
    } else if (sign === ',' && depth === 0) return at
  }
  return text.length
}
