/**
 * Warp messages, unsigned and signed.
 *
 * A signed message is the unsigned bytes with a signature after them; there is no second codec
 * version between the two.
 *
 * Source: avalanchego vms/platformvm/warp/unsigned_message.go, message.go, signature.go.
 */

import { concatBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { type Decoded, decodePrefix, decode, encode } from '../cursor.ts'
import { struct, tagged, versioned } from '../kit.ts'
import { bytes, fixed, u32 } from '../primitives.ts'

/** Longest payload of a message: 24 KiB, upstream's codec limit `MaxMessageSize`. */
export const maxPayloadSize = 24 * 1024

/**
 * The bytes that validators sign.
 *
 * - `networkId`: 1 mainnet, 5 fuji, 12345 local
 * - `sourceChainId`: the chain that says it; 32 zero bytes = P-Chain
 * - `payload`: see `payload.ts`
 */
export const unsignedMessage = versioned(
  struct({ networkId: u32, sourceChainId: fixed(32), payload: bytes(maxPayloadSize) }),
)
/** Decoded {@link unsignedMessage}. */
export type UnsignedMessage = Decoded<typeof unsignedMessage>

/**
 * A signature of many: which canonical indices signed, and the sum of their signatures.
 *
 * - `signers`: a bit set (`bit-set.ts`); 8,192 bytes hold 65,536 validators
 * - `signature`: compressed point of G2
 */
const bitSetSignature = tagged(0, struct({ signers: bytes(8_192), signature: fixed(96) }))
/** Decoded signature of a {@link SignedMessage}. */
export type BitSetSignature = Decoded<typeof bitSetSignature>

/** A message and who signed it. `unsigned` are the exact bytes the signature is over. */
export type SignedMessage = {
  readonly unsigned: Uint8Array
  readonly message: UnsignedMessage
  readonly signature: BitSetSignature
}

/** Id of a message: sha256 of its unsigned bytes. */
export function messageId(unsigned: Uint8Array): Uint8Array {
  return sha256(unsigned)
}

/** Bytes of a signed message. */
export function encodeSigned(unsigned: Uint8Array, signature: BitSetSignature): Uint8Array {
  return concatBytes(unsigned, encode(bitSetSignature, signature))
}

/** Reads a signed message. Throws `bad-bytes`. */
export function decodeSigned(signed: Uint8Array): SignedMessage {
  const { value: message, until } = decodePrefix(unsignedMessage, signed)
  return {
    unsigned: signed.slice(0, until),
    message,
    signature: decode(bitSetSignature, signed.subarray(until)),
  }
}
