/** Addresses in their text forms: primary network (`fuji1…`, `P-fuji1…`) and EVM (`0x…`). */

import { fromBech32, toBech32 } from './bech32.ts'
import { clip, fromHex, toHex } from './bytes.ts'
import { Fault } from './fault.ts'
import { keccak256 } from './hash.ts'

/** 20 zero bytes. */
export const zeroAddress: Uint8Array = new Uint8Array(20)

/** EIP-55 mixed-case text of a 20-byte EVM address. */
export function toChecksumAddress(bytes: Uint8Array): string {
  const plain = toHex(bytes)
  const sum = keccak256(asciiBytes(plain))
  let text = '0x'
  for (let at = 0; at < 40; at++) {
    const letter = plain[at] ?? ''
    const nibble = at % 2 === 0 ? (sum[at >>> 1] ?? 0) >>> 4 : (sum[at >>> 1] ?? 0) & 15
    text += nibble >= 8 ? letter.toUpperCase() : letter
  }
  return text
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

function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
