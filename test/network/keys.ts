/** Keys of the scenario, and how they sign. */

import { createHash } from 'node:crypto'

import { secp256k1 } from '@noble/curves/secp256k1.js'

import { concatBytes, fromHex } from '../../src/core/bytes.ts'
import { hash160, keccak256 } from '../../src/core/hash.ts'

/** A secp256k1 key: on P and X its `address`, on EVM chains its `evm` address, 20 bytes each. */
export type Key = {
  readonly secret: Uint8Array
  readonly address: Uint8Array
  readonly evm: Uint8Array
}

/** The key of a secret of 32 bytes. */
export function keyOfSecret(secret: Uint8Array): Key {
  const long = secp256k1.getPublicKey(secret, false)
  return {
    secret,
    address: hash160(secp256k1.getPublicKey(secret, true)),
    evm: keccak256(long.subarray(1)).slice(12),
  }
}

/** The public key "ewoq", which owns what a local genesis gives away. */
export const ewoq = keyOfSecret(
  fromHex('56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'),
)

/** A key that only the scenario uses, made of a name. */
export function keyNamed(name: string): Key {
  return keyOfSecret(new Uint8Array(createHash('sha256').update(`scenario ${name}`).digest()))
}

/** Signature of a hash: r, s and the recovery id, 65 bytes. */
export function sign(hash: Uint8Array, { secret }: Key): Uint8Array {
  const recovered = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' })
  return concatBytes(recovered.subarray(1), recovered.subarray(0, 1))
}
