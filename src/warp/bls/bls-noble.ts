/**
 * BLS in JavaScript: the same answers as the native library, some twenty times slower.
 *
 * One pairing blocks the event loop for 18 ms, so a batch is checked with two, and the loop is
 * let go after every entry that is prepared.
 */

import { bls12_381 } from '@noble/curves/bls12-381.js'

import { toBigint } from '../../core/bytes.ts'
import type { Random } from '../../core/world.ts'
import { type Bls, bisect, signatureDomain, type SignedBy } from './bls.ts'

const { longSignatures } = bls12_381
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
type PointG1 = ReturnType<typeof G1.fromBytes>
type PointG2 = ReturnType<typeof G2.fromBytes>

/** BLS by noble. Random factors make sure that wrong signatures cannot cancel each other out. */
export function nobleBls(random: Random): Bls {
  const holds = async (message: Uint8Array, group: readonly SignedBy[]): Promise<boolean> => {
    let keys = G1.ZERO
    let signatures = G2.ZERO
    for (const { publicKey, signature } of group) {
      const key = parseKey(publicKey)
      const point = parseSignature(signature)
      if (key === undefined || point === undefined) return false
      // 64 bits: one chance in 2^64 for a wrong batch, as the native library has it.
      const factor = toBigint(random.bytes(8)) | 1n
      keys = keys.add(key.multiplyUnsafe(factor))
      signatures = signatures.add(point.multiplyUnsafe(factor))
      await new Promise(setImmediate)
    }
    return verifySum(message, keys, signatures)
  }
  return {
    name: 'noble',
    isPublicKey: (publicKey) => parseKey(publicKey) !== undefined,
    verifyEach: (message, signed) => bisect(signed, (group) => holds(message, group)),
    sumIfItHolds,
    aggregate: (signatures) => longSignatures.aggregateSignatures([...signatures]).toBytes(true),
    verifyAggregate: (message, publicKeys, signature) => {
      const point = parseSignature(signature)
      let keys = G1.ZERO
      for (const publicKey of publicKeys) {
        const key = parseKey(publicKey)
        if (key === undefined) return false
        keys = keys.add(key)
      }
      return point !== undefined && verifySum(message, keys, point)
    },
  }
}

async function sumIfItHolds(
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Uint8Array | undefined> {
  let keys = G1.ZERO
  let signatures = G2.ZERO
  for (const { publicKey, signature } of signed) {
    const key = parseKey(publicKey)
    const point = parseSignature(signature)
    if (key === undefined || point === undefined) return undefined
    keys = keys.add(key)
    signatures = signatures.add(point)
    await new Promise(setImmediate)
  }
  return verifySum(message, keys, signatures) ? signatures.toBytes(true) : undefined
}

function verifySum(message: Uint8Array, key: PointG1, signature: PointG2): boolean {
  if (key.is0() || signature.is0()) return false
  return longSignatures.verify(signature, longSignatures.hash(message, signatureDomain), key)
}

function parseKey(bytes: Uint8Array): PointG1 | undefined {
  return bytes.length === 48 ? parsePoint(() => G1.fromBytes(bytes)) : undefined
}

function parseSignature(bytes: Uint8Array): PointG2 | undefined {
  return bytes.length === 96 ? parsePoint(() => G2.fromBytes(bytes)) : undefined
}

/** A point of the right subgroup that is not infinity. */
function parsePoint<P extends PointG1 | PointG2>(parse: () => P): P | undefined {
  try {
    const point = parse()
    return !point.is0() && point.isTorsionFree() ? point : undefined
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
