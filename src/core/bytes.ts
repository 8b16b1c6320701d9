/** Byte strings: hex, comparison, joining. */

import { Fault } from './fault.ts'
import { u8At } from './item-at.ts'

const digits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** Value of a hex digit by character code, which is any of a string; 255 = not a digit. */
export const hexDigits: Uint8Array = (() => {
  const table = new Uint8Array(65_536).fill(255)
  for (let value = 0; value < 16; value++) {
    const text = value.toString(16)
    table[text.charCodeAt(0)] = value
    table[text.toUpperCase().charCodeAt(0)] = value
  }
  return table
})()

/** Lower-case hex without a prefix. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at++) text += digits[bytes[at] ?? 0]
  return text
}

/** Lower-case hex with `0x` before it. */
export function to0x(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`
}

/** Bytes of hex text, with or without `0x`. Throws `bad-text`. */
export function fromHex(text: string): Uint8Array {
  const start = text.startsWith('0x') || text.startsWith('0X') ? 2 : 0
  const length = text.length - start
  if (length % 2 !== 0)
    throw new Fault('bad-text', `hex has an odd number of digits: ${clip(text)}`)
  const bytes = new Uint8Array(length / 2)
  for (let at = 0, from = start; at < bytes.length; at++, from += 2) {
    const high = u8At(hexDigits, text.charCodeAt(from))
    const low = u8At(hexDigits, text.charCodeAt(from + 1))
    if (high === 255 || low === 255) throw new Fault('bad-text', `not hex: ${clip(text)}`)
    bytes[at] = high * 16 + low
  }
  return bytes
}

/** At most 80 characters of `text`, for messages. */
export function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Order of two byte strings as memcmp gives it, shorter first on a tie. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Returns whether two byte strings are equal. Not constant-time. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0
}

/** The parts one after the other, in fresh memory. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let size = 0
  for (const part of parts) size += part.length
  const joined = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Unsigned big-endian integer of any length. */
export function toBigint(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(to0x(bytes))
}

/** `value` as exactly `size` big-endian bytes. */
export function fromBigint(value: bigint, size: number): Uint8Array {
  return fromHex(value.toString(16).padStart(size * 2, '0'))
}

/** A key for maps: one character per byte. By way of the runtime, ten times a loop's speed. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The bytes of a map key, see {@link keyOf}, or of text in ASCII. */
export function bytesOfKey(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length)
  for (let at = 0; at < key.length; at++) bytes[at] = key.charCodeAt(at)
  return bytes
}

/** Returns whether all bytes are 0. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Base64 with its padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
