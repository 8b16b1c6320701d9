/**
 * Sets of addresses in few bytes: sorted numbers as differences, seven bits a byte.
 *
 * A member is `id * 2 + 1` when the address also sent, `id * 2` when not. About two bytes a
 * member on a busy chain.
 */

import { Fault } from '../core/fault.ts'
import { itemAt, u8At } from '../core/item-at.ts'

/** Encodes ascending, distinct numbers below 2^53. */
export function encodeMembers(sorted: ArrayLike<number>): Uint8Array {
  // Eight bytes hold any difference below 2^53.
  const bytes = new Uint8Array(sorted.length * 8)
  let at = 0
  let previous = 0
  for (let i = 0; i < sorted.length; i++) {
    const value = itemAt(sorted, i)
    let rest = value - previous
    previous = value
    while (rest >= 128) {
      bytes[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    bytes[at++] = rest
  }
  return bytes.slice(0, at)
}

/** Calls `visit` with every member of `bytes`, ascending. Throws `bad-bytes`. */
export function visitMembers(bytes: Uint8Array, visit: (member: number) => void): void {
  let previous = 0
  let value = 0
  let scale = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = u8At(bytes, at)
    value += (byte % 128) * scale
    if (byte >= 128) {
      scale *= 128
      continue
    }
    previous += value
    visit(previous)
    value = 0
    scale = 1
  }
  if (scale !== 1) throw new Fault('bad-bytes', 'a member list ends inside a number')
}
