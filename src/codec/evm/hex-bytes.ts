/**
 * Hex of JSON-RPC as byte strings of RLP, still as text.
 *
 * Undefined where a node gave nothing that can be one: what can then not be hashed is the caller's
 * to judge. Digits are looked at when they are encoded.
 */

import { to0x } from '../../core/bytes.ts'
import { hexDigit } from './hex.ts'

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
  return typeof value === 'string' && value.toLowerCase() === to0x(bytes)
}

/** Returns whether `value` is the hex of the 32 bytes from `at` on, in whatever letter case. */
export function equalsHex(value: unknown, bytes: Uint8Array, at: number): boolean {
  if (typeof value !== 'string' || value.length !== 66 || !value.startsWith('0x')) return false
  let differs = 0
  for (let byte = 0; byte < 32; byte++) {
    const digits = (hexDigit(value, 2 + byte * 2) << 4) | hexDigit(value, 3 + byte * 2)
    differs |= digits ^ (bytes[at + byte] ?? 256)
  }
  return differs === 0
}
