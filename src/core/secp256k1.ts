/** Public keys from signatures on the curve secp256k1. The only place that names its library. */

import { secp256k1 } from '@noble/curves/secp256k1.js'

/**
 * The compressed public key, 33 bytes, whose owner signed `hash`, or `undefined` when there is
 * none. `signature` is r, s and the recovery id, 65 bytes, as avalanchego's. About 0.5 ms.
 *
 * Source: avalanchego utils/crypto/secp256k1/secp256k1.go.
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const [recovery = 255] = signature.subarray(64)
  if (signature.length !== 65 || recovery > 3) return undefined
  const recovered = new Uint8Array(65)
  recovered[0] = recovery
  recovered.set(signature.subarray(0, 64), 1)
  try {
    return secp256k1.recoverPublicKey(recovered, hash, { prehash: false })
  } catch (error) {
    // A signature that no key can have made is answered with `undefined`.
    if (error instanceof Error) return undefined
    throw error
  }
}
