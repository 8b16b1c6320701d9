/**
 * bech32 (not bech32m): the text form of primary-network addresses.
 *
 * Source: BIP-173; avalanchego utils/formatting/address/address.go.
 */

import { bech32 } from '@scure/base'

import { clip } from './bytes.ts'
import { Fault } from './fault.ts'

/** Text of `bytes` with the human-readable part `hrp`, for example `fuji`. */
export function toBech32(hrp: string, bytes: Uint8Array): string {
  return bech32.encodeFromBytes(hrp, bytes)
}

/** Human-readable part and bytes of bech32 text. Throws `bad-text`. */
export function fromBech32(text: string): { hrp: string; bytes: Uint8Array } {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text)
    return { hrp: prefix, bytes }
  } catch (error) {
    const isSum = error instanceof Error && error.message.startsWith('Invalid checksum')
    throw new Fault(
      'bad-text',
      `${isSum ? 'checksum does not match' : 'not bech32'}: ${clip(text)}`,
    )
  }
}
