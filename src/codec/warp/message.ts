/**
 * Warp messages, unsigned and signed.
 *
 * A signed message is the unsigned bytes with a signature after them; there is no second codec
 * version between the two.
 *
 * Source: avalanchego vms/platformvm/warp/unsigned_message.go, message.go, signature.go.
 */

import { concatBytes, equalBytes, toBigint } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { u8At } from '../../core/item-at.ts'
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
 * - `signers`: a bit set ({@link encodeBitSet}); 8,192 bytes hold 65,536 validators
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

/**
 * The signers of a message: bit `i` is the validator with canonical index `i`, written as one big-endian
 * number without leading zero bytes; the empty set is no byte at all. Order and repetition do not matter.
 *
 * Source: avalanchego utils/set/bits.go.
 */
export function encodeBitSet(indices: readonly number[]): Uint8Array {
  let highest = -1
  for (const index of indices) highest = Math.max(highest, index)
  const bytes = new Uint8Array(highest < 0 ? 0 : (highest >> 3) + 1)
  for (const index of indices) {
    const at = bytes.length - 1 - (index >> 3)
    bytes[at] = u8At(bytes, at) | (1 << (index & 7))
  }
  return bytes
}

/** Indices of a set, ascending. Throws `bad-bytes` when a leading byte is zero. */
export function decodeBitSet(bytes: Uint8Array): number[] {
  if (bytes[0] === 0) throw new Fault('bad-bytes', 'bit set has a leading zero byte')
  const indices: number[] = []
  for (let at = bytes.length - 1; at >= 0; at--) {
    const base = (bytes.length - 1 - at) * 8
    for (let bit = 0; bit < 8; bit++) {
      if ((u8At(bytes, at) & (1 << bit)) !== 0) indices.push(base + bit)
    }
  }
  return indices
}

const word = 32
// The only offset one dynamic argument can have.
const onlyOffset = Uint8Array.from({ length: word }, (_, at) => (at === word - 1 ? word : 0))

/**
 * The message inside ABI-encoded log data, or `input` itself when it is not that: callers paste what
 * they have. `SendWarpMessage(address,bytes32,bytes)` of precompile 0x02…05 has the unsigned message as
 * its only unindexed argument: a 32-byte offset, a 32-byte length, the bytes padded to 32.
 *
 * The two are never confused: where log data has zero bytes, a bare message has its network id,
 * which is never 0.
 */
export function unwrapMessage(input: Uint8Array): Uint8Array {
  if (input.length < 2 * word || !equalBytes(input.subarray(0, word), onlyOffset)) return input
  const length = toBigint(input.subarray(word, 2 * word))
  if (length > BigInt(input.length - 2 * word)) return input
  return input.subarray(2 * word, 2 * word + Number(length))
}
