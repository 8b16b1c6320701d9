/**
 * bech32 (not bech32m): the text form of primary-network addresses.
 *
 * Source: BIP-173; avalanchego utils/formatting/address/address.go.
 */

import { clip } from './bytes.ts'
import { Fault } from './fault.ts'

const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** Text of `bytes` with the human-readable part `hrp`, for example `fuji`. */
export function toBech32(hrp: string, bytes: Uint8Array): string {
  const words = regroup(bytes, 8, 5, true)
  const sum = polymod([...expand(hrp), ...words, 0, 0, 0, 0, 0, 0]) ^ 1
  let text = `${hrp}1`
  for (const word of words) text += alphabet[word]
  for (let at = 0; at < 6; at++) text += alphabet[(sum >>> (5 * (5 - at))) & 31]
  return text
}

/** Human-readable part and bytes of bech32 text. Throws `bad-text`. */
export function fromBech32(text: string): { hrp: string; bytes: Uint8Array } {
  const lower = text.toLowerCase()
  const split = lower.lastIndexOf('1')
  const mixed = text !== lower && text !== text.toUpperCase()
  if (mixed || split < 1 || text.length > 90 || lower.length - split < 7) {
    throw new Fault('bad-text', `not bech32: ${clip(text)}`)
  }
  const hrp = lower.slice(0, split)
  const words: number[] = []
  for (const letter of lower.slice(split + 1)) {
    const word = alphabet.indexOf(letter)
    if (word < 0) throw new Fault('bad-text', `not bech32: ${clip(text)}`)
    words.push(word)
  }
  if (polymod([...expand(hrp), ...words]) !== 1) {
    throw new Fault('bad-text', `checksum does not match: ${clip(text)}`)
  }
  return { hrp, bytes: Uint8Array.from(regroup(words.slice(0, -6), 5, 8, false)) }
}

function expand(hrp: string): number[] {
  const codes = Array.from(hrp, (letter) => letter.charCodeAt(0))
  return [...codes.map((code) => code >>> 5), 0, ...codes.map((code) => code & 31)]
}

function polymod(words: readonly number[]): number {
  let sum = 1
  for (const word of words) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ word
    for (let at = 0; at < 5; at++) if ((top >>> at) & 1) sum ^= generators[at] ?? 0
  }
  return sum >>> 0
}

function regroup(words: Iterable<number>, from: number, to: number, pad: boolean): number[] {
  const out: number[] = []
  let held = 0
  let bits = 0
  for (const word of words) {
    held = ((held << from) | word) & 0xfff
    bits += from
    while (bits >= to) {
      bits -= to
      out.push((held >>> bits) & ((1 << to) - 1))
    }
  }
  const rest = (held << (to - bits)) & ((1 << to) - 1)
  if (pad && bits > 0) out.push(rest)
  if (!pad && (bits >= from || rest !== 0))
    throw new Fault('bad-text', 'bech32 padding is not zero')
  return out
}
