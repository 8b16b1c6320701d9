/** Unsigned integers wider than a double, as the store keeps them: big-endian, no leading zeros. */

import { fromHex } from '../../core/bytes.ts'

const noBytes = new Uint8Array()

// Six bytes fit a double exactly, so that a bigint is touched once per six bytes.
const partBytes = 6
const partBits = 48n

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
  if (value === 0n) return noBytes
  if (value > maxScratch) return longBytes(value)
  let first = 8
  if (value > maxWord) {
    scratch.setBigUint64(0, value >> 64n)
    first = 0
  }
  // Takes the low 64 bits of what it is given.
  scratch.setBigUint64(8, value)
  while (scratch.getUint8(first) === 0) first++
  // Cut from a pool: memory of its own costs ten times the rest.
  const bytes = Buffer.allocUnsafe(scratchBytes - first)
  for (let at = first; at < scratchBytes; at++) bytes[at - first] = scratch.getUint8(at)
  return bytes
}

// 16 bytes hold any amount that is not made up.
const scratchBytes = 16
const scratch = new DataView(new ArrayBuffer(scratchBytes))
const maxScratch = 2n ** 128n - 1n
const maxWord = 2n ** 64n - 1n

function longBytes(value: bigint): Uint8Array {
  const digits = value.toString(16)
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`)
}

function part(bytes: Uint8Array, from: number, until: number): number {
  let value = 0
  for (let at = from; at < until; at++) value = value * 256 + (bytes[at] ?? 0)
  return value
}
