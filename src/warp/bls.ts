/**
 * BLS12-381 as Avalanche uses it: public keys in G1, signatures in G2, both compressed.
 *
 * Two backends answer the same questions: `blst`, native and fast, and `noble`, JavaScript, where
 * the native one does not load. Proofs of possession always come from noble: the native binding
 * fixes the domain of signatures. Nothing here signs Warp messages; we are not a validator.
 *
 * Source: avalanchego utils/crypto/bls/, draft-irtf-cfrg-bls-signature, RFC 9380.
 */

import { bls12_381 } from '@noble/curves/bls12-381.js'

import { Fault } from '../core/fault.ts'

/** A validator's answer: its compressed key and what it says is its signature. */
export type SignedBy = { readonly publicKey: Uint8Array; readonly signature: Uint8Array }

/** A BLS library, as the aggregation uses it. Keys are 48 bytes, signatures 96. */
export type Bls = {
  readonly name: 'blst' | 'noble'
  /** Returns whether bytes are a point of the right group, not infinity. */
  readonly isPublicKey: (publicKey: Uint8Array) => boolean
  /**
   * Returns which of several signatures over the same message hold, each for itself: no combination
   * of wrong ones passes. Cost: 0.1 ms each with blst, off the main thread; 5 ms each with noble.
   */
  readonly verifyEach: (
    message: Uint8Array,
    signed: readonly SignedBy[],
  ) => Promise<readonly boolean[]>
  /**
   * The sum of all signatures if it is one by all keys over the message, else `undefined`. Wrong
   * signatures that cancel each other out pass, so it proves the sum and no single one of them.
   * Cost: a pairing of 1.2 ms and 0.03 ms for each with blst, in slices that leave the main thread
   * free between them.
   */
  readonly sumIfItHolds: (
    message: Uint8Array,
    signed: readonly SignedBy[],
  ) => Promise<Uint8Array | undefined>
  /** The sum of signatures that were verified. */
  readonly aggregate: (signatures: readonly Uint8Array[]) => Uint8Array
  /** True when a sum of signatures is that of all `publicKeys` over `message`. */
  readonly verifyAggregate: (
    message: Uint8Array,
    publicKeys: readonly Uint8Array[],
    signature: Uint8Array,
  ) => boolean
}

/** Domain of message signatures. */
export const signatureDomain = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'
/** Domain of proofs of possession, and of the addresses nodes sign. */
const possessionDomain = 'BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'

const { longSignatures } = bls12_381

/** A secret key of 32 bytes, big-endian, from 48 random ones. */
export function createBlsSecret(random: Uint8Array): Uint8Array {
  return longSignatures.keygen(random).secretKey
}

/** Compressed public key of a secret one. Throws `bad-config` when the secret is not one. */
export function blsPublicKey(secret: Uint8Array): Uint8Array {
  try {
    return longSignatures.getPublicKey(secret).toBytes(true)
  } catch (error) {
    throw new Fault('bad-config', `not a BLS secret key of 32 bytes: ${secret.length} bytes`, {
      cause: error,
    })
  }
}

/** Signature in the domain of possession: over the own key, or over the own address. */
export function signPossession(secret: Uint8Array, bytes: Uint8Array): Uint8Array {
  return longSignatures.sign(longSignatures.hash(bytes, possessionDomain), secret).toBytes(true)
}

/** Returns whether a signature in the domain of possession holds. Malformed ones do not. */
export function verifyPossession(
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const hashed = longSignatures.hash(bytes, possessionDomain)
    return longSignatures.verify(signature, hashed, publicKey)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

/**
 * Finds the wrong entries when only whole groups can be verified: halves groups until each is
 * known.
 */
export async function bisect<T>(
  entries: readonly T[],
  holds: (group: readonly T[]) => Promise<boolean>,
): Promise<boolean[]> {
  if (entries.length === 0) return []
  if (await holds(entries)) return entries.map(() => true)
  if (entries.length === 1) return [false]
  const middle = entries.length >> 1
  const left = await bisect(entries.slice(0, middle), holds)
  return [...left, ...(await bisect(entries.slice(middle), holds))]
}
