/**
 * BLS12-381 as Avalanche uses it: public keys in G1, signatures in G2, both compressed.
 *
 * Two backends answer the same questions: `blst`, native and fast, and `noble`, JavaScript, where
 * the native one does not load. Nothing here signs Warp messages; we are not a validator.
 *
 * Source: avalanchego utils/crypto/bls/, draft-irtf-cfrg-bls-signature, RFC 9380.
 */

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
