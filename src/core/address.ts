/** Addresses in their text forms: primary network (`fuji1…`, `P-fuji1…`) and EVM (`0x…`). */

import { fromBech32, toBech32 } from './bech32.ts'
import { clip, fromHex, toHex } from './bytes.ts'
import { Fault } from './fault.ts'
import { writeKeccak256 } from './hash.ts'
import { u8At } from './item-at.ts'

/** 20 zero bytes. */
export const zeroAddress: Uint8Array = new Uint8Array(20)

/** EIP-55 mixed-case text of a 20-byte EVM address. */
export function toChecksumAddress(bytes: Uint8Array): string {
  const plain = toHex(bytes)
  return casedAddress(plain, caseMask(bytes))
}

/**
 * Which of the 40 digits of a 20-byte address are written as capitals where they are letters, the
 * first digit in the highest bit.
 *
 * Source: EIP-55.
 */
export function caseMask(address: Uint8Array): number {
  for (let at = 0; at < 20; at++) {
    const byte = u8At(address, at)
    hashed[at * 2] = digitCode(byte >>> 4)
    hashed[at * 2 + 1] = digitCode(byte & 15)
  }
  writeKeccak256(hashed, hash, 0)
  let high = 0
  let low = 0
  for (let at = 0; at < 10; at++) high = (high << 2) | topBits(u8At(hash, at))
  for (let at = 10; at < 20; at++) low = (low << 2) | topBits(u8At(hash, at))
  return high * halfMask + low
}

// Every new address is hashed once: no array for each.
const hashed = Buffer.alloc(40)
const hash = Buffer.alloc(32)

/** Character code of a digit from 0 to 15. */
function digitCode(digit: number): number {
  return digit < 10 ? 48 + digit : letterA - 10 + digit
}

/** A mask is two halves of twenty bits: an integer of 32 bits holds one of them. */
export const halfMask = 2 ** 20

/** The highest bit of each of the two digits of a byte. */
function topBits(byte: number): number {
  return ((byte >>> 6) & 2) | ((byte >>> 3) & 1)
}

const written = Buffer.from(`0x${'0'.repeat(40)}`)
const letterA = 97
const toCapital = 32

/** `0x` and the 40 plain digits of an address with the capitals of `mask`. */
export function casedAddress(plain: string, mask: number): string {
  written.write(plain, 2, 'latin1')
  let bits = Math.floor(mask / halfMask)
  for (let at = 0; at < 40; at++) {
    if (at === 20) bits = mask % halfMask
    const code = u8At(written, at + 2)
    const isCapital = ((bits >>> (19 - (at % 20))) & 1) === 1
    if (isCapital && code >= letterA) written[at + 2] = code - toCapital
  }
  return written.toString('latin1')
}

/** 20 bytes of an EVM address; any letter case is taken. Throws `bad-text`. */
export function parseEvmAddress(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new Fault('bad-text', `not an EVM address: ${clip(text)}`)
  return fromHex(text)
}

/** Bare bech32 text of a 20-byte primary-network address. */
export function toPrimaryAddress(hrp: string, bytes: Uint8Array): string {
  return toBech32(hrp, bytes)
}

/**
 * 20 bytes of a primary-network address, bare or after `P-`, `X-` or `C-`.
 *
 * Throws `bad-text` when it is malformed or belongs to a network with another `hrp`.
 */
export function parsePrimaryAddress(text: string, hrp: string): Uint8Array {
  const bare = /^[PXC]-/.test(text) ? text.slice(2) : text
  const decoded = fromBech32(bare)
  if (decoded.hrp !== hrp) throw new Fault('bad-text', `address of another network: ${clip(text)}`)
  if (decoded.bytes.length !== 20) throw new Fault('bad-text', `not 20 bytes: ${clip(text)}`)
  return decoded.bytes
}
