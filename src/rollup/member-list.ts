/**
 * Numbers in few bytes, seven bits a byte; and sets of addresses as the differences of sorted ones.
 *
 * A member is `id * 2 + 1` when the address also sent, `id * 2` when not. About two bytes a
 * member on a busy chain.
 */

import { Fault } from '../core/fault.ts'
import { itemAt, u8At } from '../core/item-at.ts'

/** Encodes integers from 0 to 2^53. */
export function encodeNumbers(numbers: ArrayLike<number>): Uint8Array {
  // Eight bytes hold any of them.
  const bytes = new Uint8Array(numbers.length * 8)
  let at = 0
  for (let i = 0; i < numbers.length; i++) {
    let rest = itemAt(numbers, i)
    while (rest >= 128) {
      bytes[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    bytes[at++] = rest
  }
  return bytes.slice(0, at)
}

/** Calls `visit` with every number of `bytes`, in their order. Throws `bad-bytes`. */
function visitNumbers(bytes: Uint8Array, visit: (number: number) => void): void {
  let value = 0
  let scale = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = u8At(bytes, at)
    value += (byte % 128) * scale
    if (byte >= 128) {
      scale *= 128
      continue
    }
    visit(value)
    value = 0
    scale = 1
  }
  if (scale !== 1) throw new Fault('bad-bytes', 'a list of numbers ends inside a number')
}

/** Encodes ascending, distinct numbers below 2^53. */
export function encodeMembers(sorted: ArrayLike<number>): Uint8Array {
  const differences = new Float64Array(sorted.length)
  let previous = 0
  for (let i = 0; i < sorted.length; i++) {
    const value = itemAt(sorted, i)
    differences[i] = value - previous
    previous = value
  }
  return encodeNumbers(differences)
}

/** Calls `visit` with every member of `bytes`, ascending. Throws `bad-bytes`. */
export function visitMembers(bytes: Uint8Array, visit: (member: number) => void): void {
  let previous = 0
  visitNumbers(bytes, (difference) => {
    previous += difference
    visit(previous)
  })
}
