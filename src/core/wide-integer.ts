/** Unsigned integers wider than a double, as the store keeps them: big-endian, no leading zeros. */
import { u8At } from './item-at.ts'

// Six bytes fit a double exactly, so that a bigint is touched once per six bytes.
const partBytes = 6
const partBits = 48n
const maxWord = 2n ** 64n - 1n

/** The integer of `bytes`. */
export function wideInteger(bytes: Uint8Array): bigint {
  const head = bytes.length % partBytes
  let value = BigInt(part(bytes, 0, head))
  for (let at = head; at < bytes.length; at += partBytes)
    value = (value << partBits) + BigInt(part(bytes, at, at + partBytes))
  return value
}

/** Bytes of `value`, which is not negative. */
export function wideBytes(value: bigint): Uint8Array {
  // Cut from a pool: separate memory costs ten times the rest.
  const bytes = Buffer.allocUnsafe(maxWideBytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, maxWideBytes)
  return bytes.subarray(0, putWide(value, view, 0))
}

/** Most bytes a sum of 256-bit amounts can have, in a chain of 2^64 transfers. */
export const maxWideBytes = 40

/**
 * Writes the bytes of `value`, below 2^320 and not negative, to `into` at `at`, where there is room
 * for {@link maxWideBytes}. Returns their number.
 */
export function putWide(value: bigint, into: DataView, at: number): number {
  const end = at + maxWideBytes
  let first = end
  // Each word takes the low 64 bits of what it is given.
  for (let rest = value; rest > 0n; rest = rest > maxWord ? rest >> 64n : 0n)
    into.setBigUint64((first -= 8), rest)
  while (first < end && into.getUint8(first) === 0) first++
  for (let from = first; from < end; from++) into.setUint8(at + from - first, into.getUint8(from))
  return end - first
}

function part(bytes: Uint8Array, from: number, until: number): number {
  let value = 0
  for (let at = from; at < until; at++) value = value * 256 + u8At(bytes, at)
  return value
}
