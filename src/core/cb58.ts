/**
 * cb58: base58 with a four-byte SHA-256 checksum, the text form of ids on Avalanche.
 *
 * Source: avalanchego utils/cb58/cb58.go, ids/id.go, ids/node_id.go.
 */

import { base58 } from '@scure/base'

import { clip, concatBytes, equalBytes, fromHex } from './bytes.ts'
import { Fault } from './fault.ts'
import { sha256 } from './hash.ts'
import { itemAt, u8At } from './item-at.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

// 58^5 = 656,356,768: five digits a step, and a step times 2^16 stays far below 2^53.
const limb = 58 ** 5

/** Texts of the two-digit numbers. */
const pairs: readonly string[] = Array.from(alphabet).flatMap((high) =>
  Array.from(alphabet, (low) => high + low),
)

/**
 * base58 without a checksum: lists of 100 X-Chain transactions hold thousands of ids, and this takes a fifth
 * less time for one than the library.
 *
 * Two bytes a step. A quotient instead of `%`, which is slow above 2^31, and a plain list, because
 * a typed array of this size takes longer to allocate than all of the arithmetic.
 */
function toBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const limbs: number[] = []
  for (let at = zeros; at < bytes.length; at += 2) {
    const isPair = at + 1 < bytes.length
    const factor = isPair ? 65_536 : 256
    let carry = isPair ? u8At(bytes, at) * 256 + u8At(bytes, at + 1) : u8At(bytes, at)
    for (let place = 0; place < limbs.length; place++) {
      carry += itemAt(limbs, place) * factor
      const quotient = Math.floor(carry / limb)
      limbs[place] = carry - quotient * limb
      carry = quotient
    }
    if (carry > 0) limbs.push(carry)
  }
  let text = ''
  for (let place = limbs.length - 1; place >= 0; place--) text += textOfLimb(itemAt(limbs, place))
  let padding = 0
  while (text[padding] === '1') padding++
  return '1'.repeat(zeros) + text.slice(padding)
}

/** Its five digits. */
function textOfLimb(value: number): string {
  const high = Math.floor(value / 58 ** 3)
  const low = value - high * 58 ** 3
  const middle = Math.floor(low / 58)
  return itemAt(pairs, high) + itemAt(pairs, middle) + alphabet.charAt(low - middle * 58)
}

/** Bytes of base58 text. Throws `bad-text`. */
function fromBase58(text: string): Uint8Array {
  try {
    return base58.decode(text)
  } catch {
    throw new Fault('bad-text', `not base58: ${clip(text)}`)
  }
}

/** cb58 of any bytes. */
export function toCb58(bytes: Uint8Array): string {
  return toBase58(concatBytes(bytes, sha256(bytes).subarray(28)))
}

/** Bytes of cb58 text. Throws `bad-text`, also when it is longer than 128 characters. */
export function fromCb58(text: string): Uint8Array {
  if (text.length > 128) throw new Fault('bad-text', `too long for cb58: ${clip(text)}`)
  const all = fromBase58(text)
  if (all.length < 4) throw new Fault('bad-text', `too short for cb58: ${clip(text)}`)
  const bytes = all.subarray(0, all.length - 4)
  if (!equalBytes(sha256(bytes).subarray(28), all.subarray(all.length - 4))) {
    throw new Fault('bad-text', `checksum does not match: ${clip(text)}`)
  }
  return bytes
}

/** A 32-byte id from cb58, or from hex with or without `0x`. Throws `bad-text`. */
export function parseId(text: string): Uint8Array {
  const isHex = /^(0x)?[0-9a-fA-F]{64}$/.test(text)
  const bytes = isHex ? fromHex(text) : fromCb58(text)
  if (bytes.length !== 32) throw new Fault('bad-text', `not a 32-byte id: ${clip(text)}`)
  return bytes
}

const nodeIdPrefix = 'NodeID-'

/** `NodeID-…` of 20 bytes. */
export function toNodeId(bytes: Uint8Array): string {
  return nodeIdPrefix + toCb58(bytes)
}

/** 20 bytes of `NodeID-…`. Throws `bad-text`. */
export function parseNodeId(text: string): Uint8Array {
  if (!text.startsWith(nodeIdPrefix)) throw new Fault('bad-text', `not a node id: ${clip(text)}`)
  const bytes = fromCb58(text.slice(nodeIdPrefix.length))
  if (bytes.length !== 20) throw new Fault('bad-text', `not a node id: ${clip(text)}`)
  return bytes
}
