/**
 * Hex of JSON-RPC into numbers and bytes, straight from the characters.
 *
 * A value that is not the hex it must be is a `node-answer` fault: nodes are not trusted.
 */

import { clip, hexDigits, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'

/** From this many digits on the runtime's own reader wins over a loop. */
const nativeFrom = 24

/** `value` as text that starts with `0x`. */
export function hexText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 48 || value.charCodeAt(1) !== 120)
    throw notHex(value, what)
  return value
}

/** A JSON-RPC quantity as a number. More than 2^53 - 1 is a fault. */
export function hexNumber(value: unknown, what: string): number {
  const text = hexText(value, what)
  let number = 0
  for (let at = 2; at < text.length; at++) {
    const digit = hexDigits[text.charCodeAt(at)] ?? 255
    if (digit === 255) throw notHex(value, what)
    number = number * 16 + digit
  }
  if (text.length < 3 || number > Number.MAX_SAFE_INTEGER) throw notHex(value, what)
  return number
}

/** A quantity that may be missing: `otherwise` then. */
export function hexNumberOr(value: unknown, otherwise: number, what: string): number {
  return value === undefined || value === null ? otherwise : hexNumber(value, what)
}

/**
 * A quantity as a number, values beyond 2^53 - 1 clamped to that.
 *
 * For gas that call frames used and nonces, which senders may set to 2^64 - 1.
 */
export function hexNumberClamped(value: unknown, what: string): number {
  const text = hexText(value, what)
  if (text.length <= 15) return hexNumber(value, what)
  for (let at = 2; at < text.length; at++)
    if (hexDigits[text.charCodeAt(at)] === 255) throw notHex(value, what)
  const number = Number(text)
  return number > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : number
}

/**
 * Writes digits `[from, until)` of `text` into `out` at `at`; their number must be even.
 */
export function writeHex(
  text: string,
  span: { readonly from: number; readonly until: number },
  out: Buffer,
  at: number,
): void {
  const digits = span.until - span.from
  if (digits >= nativeFrom) {
    // The runtime stops silently at the first character that is no digit.
    if (out.write(text.slice(span.from, span.until), at, digits >>> 1, 'hex') === digits >>> 1)
      return
    throw notHex(text, 'bytes')
  }
  let to = at
  for (let from = span.from; from < span.until; from += 2) {
    const high = hexDigits[text.charCodeAt(from)] ?? 255
    const low = hexDigits[text.charCodeAt(from + 1)] ?? 255
    if ((high | low) === 255) throw notHex(text, 'bytes')
    out[to++] = (high << 4) | low
  }
}

/** 32 bits from eight digits of `text` at `from`. */
export function hexWord(text: string, from: number): number {
  let word = 0
  for (let at = from; at < from + 8; at++) {
    const digit = hexDigits[text.charCodeAt(at)] ?? 255
    if (digit === 255) throw notHex(text, 'digits')
    word = (word << 4) | digit
  }
  return word >>> 0
}

/** Value of one digit of `text`; 255 when the character is no digit. */
export function hexDigit(text: string, at: number): number {
  return hexDigits[text.charCodeAt(at)] ?? 255
}

/** The fault for a value that should have been hex. */
export function notHex(value: unknown, what: string): Fault {
  const shown = typeof value === 'string' ? clip(value) : typeof value
  return new Fault('node-answer', `${what} is not hex: ${shown}`)
}

// Hex of JSON-RPC as byte strings of RLP, still as text.
//
// Undefined where a node gave nothing that can be one: what can then not be hashed is the caller's
// to judge. Digits are looked at when they are encoded.

/** A byte string. */
export function hexBytes(value: unknown): string | undefined {
  const isBytes = typeof value === 'string' && value.startsWith('0x') && value.length % 2 === 0
  return isBytes ? value : undefined
}

/** A quantity as big-endian bytes without leading zeros, zero as none. */
export function hexQuantity(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('0x')) return undefined
  let from = 2
  while (value.charCodeAt(from) === 48) from++
  if (from === 2 && value.length % 2 === 0) return value
  return (value.length - from) % 2 === 0 ? `0x${value.slice(from)}` : `0x0${value.slice(from)}`
}

/** Returns whether `value` is the hex of `bytes`, in whatever letter case. */
export function isHexOf(value: unknown, bytes: Uint8Array): boolean {
  return isHexOfDigits(value, toHex(bytes))
}

/** Returns whether `value` is the hex of the bytes with these lower-case digits, in whatever letter case. */
export function isHexOfDigits(value: unknown, digits: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === `0x${digits}`
}
