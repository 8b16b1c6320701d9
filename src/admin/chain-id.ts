/**
 * Ids as the administration RPC reads them, refusing in the original's words.
 *
 * Source: avalanchego ids/id.go, utils/cb58/cb58.go; its base58 package's messages.
 */

import { clip } from '../core/bytes.ts'
import { fromCb58, parseId, toCb58 } from '../core/cb58.ts'
import { Fault, faultOf } from '../core/fault.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** cb58 of the 32-byte id in `text` (cb58 or hex), or `undefined` when `text` is no id. */
export function canonicalId(text: string): string | undefined {
  try {
    return toCb58(parseId(text))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return undefined
  }
}

/** cb58 of the id in `text`. Throws `bad-text` with the message the original answers. */
export function readId(text: string): string {
  const id = canonicalId(text)
  if (id !== undefined) return id
  throw new Fault('bad-text', problemOf(text))
}

function problemOf(text: string): string {
  if (text === '') return 'base58 decoding error: zero length string'
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) > 127) {
      return 'base58 decoding error: High-bit set on invalid digit'
    }
    if (!alphabet.includes(character)) {
      const shown = character === "'" ? String.raw`\'` : JSON.stringify(character).slice(1, -1)
      return `base58 decoding error: Invalid base58 digit ('${shown.replace(String.raw`\"`, '"')}')`
    }
  }
  if (text.length > 128) return `input is too long for an id: ${clip(text)}`
  return problemOfBytes(text)
}

/** Looks again at base58 text that is no id: too short, wrong checksum, or another length. */
function problemOfBytes(text: string): string {
  let zeros = 0
  while (text[zeros] === '1') zeros++
  let value = 0n
  for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character))
  const size = zeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2))
  if (size < 4) return 'input string is smaller than the checksum size'
  try {
    fromCb58(text)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return 'invalid input checksum'
  }
  return `invalid hash length: expected 32 bytes but got ${size - 4}`
}
