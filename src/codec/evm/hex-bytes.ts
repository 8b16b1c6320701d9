/**
 * Hex of JSON-RPC as byte strings of RLP, still as text.
 *
 * Undefined where a node gave nothing that can be one: what can then not be hashed is the caller's
 * to judge. Digits are looked at when they are encoded.
 */

import { to0x } from '../../core/bytes.ts'

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

/** Whether `value` is the hex of `bytes`, in whatever letter case. */
export function isHexOf(value: unknown, bytes: Uint8Array): boolean {
  return typeof value === 'string' && value.toLowerCase() === to0x(bytes)
}
