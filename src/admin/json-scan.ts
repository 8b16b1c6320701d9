/**
 * Reads the first JSON value of a request body, without building it.
 *
 * The original answers with its parser's own words and echoes ids byte for byte, so the bytes are
 * walked here: where a value ends, where its members are, and what is wrong with it in the words of
 * Go's encoding/json. Never recursive, so no nesting can overflow the stack.
 *
 * Source of the words: Go encoding/json, scanner.go.
 */

/** Kinds of JSON values, as Go's messages name them. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null'

/** Bytes `from` up to, not including, `until`. */
export type Span = { readonly from: number; readonly until: number }

/** A member of the outermost object, or an element of the outermost list (then without a key). */
export type Member = { readonly key: string; readonly kind: JsonKind; readonly value: Span }

/** The first value of a text. */
export type ScannedValue = {
  readonly ok: true
  readonly kind: JsonKind
  readonly value: Span
  readonly members: readonly Member[]
}

/** The problem, in Go's words. */
export type ScanProblem = { readonly ok: false; readonly message: string }

// Go allows 10,000; nothing this RPC takes is deeper than three.
const maxDepth = 64

const objectFrame = 1
const listFrame = 2

type Walk = {
  readonly bytes: Uint8Array
  at: number
  /** Kinds of the values around the place, outermost first. */
  readonly frames: number[]
}

class Stop extends Error {}

/** Walks the first value of `bytes`; what follows it is not looked at. */
export function scanJson(bytes: Uint8Array): ScannedValue | ScanProblem {
  const walk: Walk = { bytes, at: 0, frames: [] }
  skipSpace(walk)
  if (walk.at >= bytes.length) return { ok: false, message: 'EOF' }
  try {
    return walkValue(walk)
  } catch (error) {
    if (error instanceof Stop) return { ok: false, message: error.message }
    throw error
  }
}

/** The text of a span. */
export function spanText(bytes: Uint8Array, span: Span): string {
  return decoder.decode(bytes.subarray(span.from, span.until))
}

/** The text of a span without the space between its tokens. The span must hold valid JSON. */
export function compactText(bytes: Uint8Array, span: Span): string {
  return spanText(bytes, span).replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/gs, (token) =>
    token.startsWith('"') ? token : '',
  )
}

const decoder = new TextDecoder()

function walkValue(walk: Walk): ScannedValue {
  const from = walk.at
  const kind = beginValue(walk)
  const members: Member[] = []
  let open: { key: string; kind: JsonKind; from: number } | undefined
  while (walk.frames.length > 0) {
    const depth = walk.frames.length
    const closed = nextInside(walk)
    if (closed.event === 'begin') {
      if (depth === 1) open = { key: closed.key, kind: closed.kind, from: closed.from }
      if (depth === 1 && walk.frames.length === 1 && open !== undefined)
        members.push(finish(open, walk))
    } else if (depth === 2 && open !== undefined) members.push(finish(open, walk))
  }
  return { ok: true, kind, value: { from, until: walk.at }, members }
}

function finish(open: { key: string; kind: JsonKind; from: number }, walk: Walk): Member {
  return { key: open.key, kind: open.kind, value: { from: open.from, until: walk.at } }
}

type Inside =
  | {
      readonly event: 'begin'
      readonly key: string
      readonly kind: JsonKind
      readonly from: number
    }
  | { readonly event: 'end' }

/** One step inside the innermost object or list: its end, or the beginning of its next value. */
function nextInside(walk: Walk): Inside {
  const isObject = walk.frames.at(-1) === objectFrame
  skipSpace(walk)
  const before = lastToken(walk)
  const close = isObject ? brace.close : bracket.close
  const first = before === (isObject ? brace.open : bracket.open)
  const code = peek(walk)
  if (code === close && (first || before !== comma)) {
    walk.at++
    walk.frames.pop()
    return { event: 'end' }
  }
  if (!first && before !== comma) {
    if (code !== comma) fail(code, isObject ? 'after object key:value pair' : 'after array element')
    walk.at++
    return nextInside(walk)
  }
  let key = ''
  if (isObject) {
    if (code !== quote) fail(code, 'looking for beginning of object key string')
    const keyFrom = walk.at
    skipString(walk)
    key = String(JSON.parse(spanText(walk.bytes, { from: keyFrom, until: walk.at })))
    skipSpace(walk)
    if (peek(walk) !== colon) fail(peek(walk), 'after object key')
    walk.at++
    skipSpace(walk)
  }
  const from = walk.at
  return { event: 'begin', key, kind: beginValue(walk), from }
}

/** Steps over a scalar, or into an object or list. */
function beginValue(walk: Walk): JsonKind {
  const code = peek(walk)
  switch (code) {
    case brace.open:
      enter(walk, objectFrame)
      return 'object'
    case bracket.open:
      enter(walk, listFrame)
      return 'array'
    case quote:
      skipString(walk)
      return 'string'
    case 0x74:
      skipLiteral(walk, 'true')
      return 'bool'
    case 0x66:
      skipLiteral(walk, 'false')
      return 'bool'
    case 0x6e:
      skipLiteral(walk, 'null')
      return 'null'
    default:
      if (code !== minus && !isDigit(code)) fail(code, 'looking for beginning of value')
      skipNumber(walk)
      return 'number'
  }
}

function enter(walk: Walk, frame: number): void {
  if (walk.frames.length >= maxDepth) throw new Stop('exceeded max depth')
  walk.frames.push(frame)
  walk.at++
}

/** The last byte before the place that is not space: an opener, a comma, or the end of a value. */
function lastToken({ bytes, at }: Walk): number {
  let place = at - 1
  while (isSpace(bytes[place] ?? 0)) place--
  return bytes[place] ?? 0
}

function skipString(walk: Walk): void {
  walk.at++
  for (;;) {
    const code = peek(walk)
    walk.at++
    if (code === quote) return
    if (code < 0x20) fail(code, 'in string literal')
    if (code === backslash) skipEscape(walk)
  }
}

function skipEscape(walk: Walk): void {
  const code = peek(walk)
  walk.at++
  if (code === 0x75) {
    for (let digit = 0; digit < 4; digit++) {
      if (!isHex(peek(walk))) fail(peek(walk), String.raw`in \u hexadecimal character escape`)
      walk.at++
    }
  } else if (!escapes.includes(code)) fail(code, 'in string escape code')
}

function skipLiteral(walk: Walk, word: string): void {
  for (let place = 0; place < word.length; place++) {
    const code = peek(walk)
    if (code !== word.charCodeAt(place)) {
      fail(code, `in literal ${word} (expecting '${word[place]}')`)
    }
    walk.at++
  }
}

function skipNumber(walk: Walk): void {
  if (peek(walk) === minus) {
    walk.at++
    if (!isDigit(peek(walk))) fail(peek(walk), 'in numeric literal')
  }
  if (peek(walk) === 0x30) walk.at++
  else skipDigits(walk)
  if (walk.bytes[walk.at] === 0x2e) {
    walk.at++
    if (!isDigit(peek(walk))) fail(peek(walk), 'after decimal point in numeric literal')
    skipDigits(walk)
  }
  const exponent = walk.bytes[walk.at]
  if (exponent === 0x65 || exponent === 0x45) {
    walk.at++
    if (peek(walk) === 0x2b || peek(walk) === minus) walk.at++
    if (!isDigit(peek(walk))) fail(peek(walk), 'in exponent of numeric literal')
    skipDigits(walk)
  }
}

function skipDigits(walk: Walk): void {
  while (isDigit(walk.bytes[walk.at] ?? 0)) walk.at++
}

function skipSpace(walk: Walk): void {
  while (isSpace(walk.bytes[walk.at] ?? 0)) walk.at++
}

/** The byte at the place. Stops when there is none. */
function peek({ bytes, at }: Walk): number {
  const code = bytes[at]
  if (code === undefined) throw new Stop('unexpected EOF')
  return code
}

function fail(code: number, where: string): never {
  throw new Stop(`invalid character ${quotedByte(code)} ${where}`)
}

/** A byte as Go's messages show it: read as Latin-1, in single quotes. */
function quotedByte(code: number): string {
  if (code === 0x27) return String.raw`'\''`
  if (code === quote) return `'"'`
  return `'${goQuoted(String.fromCharCode(code)).slice(1, -1)}'`
}

/** Text in Go's double quotes, unprintable characters escaped. Source: Go strconv.Quote. */
export function goQuoted(text: string): string {
  let quoted = ''
  for (const character of text) quoted += goEscaped(character)
  return `"${quoted}"`
}

function goEscaped(character: string): string {
  const known = goEscapes.get(character)
  if (known !== undefined) return known
  if (character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return String.raw`\x` + code.toString(16).padStart(2, '0')
  if (code < 0x1_0000) return String.raw`\u` + code.toString(16).padStart(4, '0')
  return String.raw`\U` + code.toString(16).padStart(8, '0')
}

const goEscapes = new Map([
  ['"', String.raw`\"`],
  ['\\', '\\\\'],
  ['\u0007', String.raw`\a`],
  ['\b', String.raw`\b`],
  ['\f', String.raw`\f`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
  ['\v', String.raw`\v`],
])

const brace = { open: 0x7b, close: 0x7d } as const
const bracket = { open: 0x5b, close: 0x5d } as const
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const minus = 0x2d
const backslash = 0x5c
const escapes: readonly number[] = Array.from('bfnrt\\/"', (character) => character.charCodeAt(0))

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
