/**
 * BLS by the native library. Loaded on demand: where there is no binary for a machine, the import
 * fails and {@link openBls} takes the JavaScript one.
 */

import { createGenerations } from '../../core/bounded-maps.ts'
import { equalBytes, toHex } from '../../core/bytes.ts'
import type { Random } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { nobleBls } from './bls-noble.ts'
import { type Bls, bisect, type SignedBy } from './bls.ts'

type Native = Pick<
  typeof import('@chainsafe/blst'),
  | 'PublicKey'
  | 'Signature'
  | 'aggregatePublicKeys'
  | 'aggregateSerializedSignatures'
  | 'aggregateSignatures'
  | 'asyncAggregateWithRandomness'
  | 'verify'
>
type NativeKey = InstanceType<Native['PublicKey']>
type NativeSignature = InstanceType<Native['Signature']>

/** Keys kept parsed, twice: 0.06 ms each to parse, about 300 bytes each to keep. */
const keysPerGeneration = 8_192

/** Signatures parsed before the event loop is given back: 2 ms. */
const parsedTogether = 64

/** The fastest BLS this machine has. Logs which, once. */
export async function openBls(log: Log, random: Random): Promise<Bls> {
  try {
    const native = await import('@chainsafe/blst')
    log.debug('bls-ready', { backend: 'blst' })
    return nativeBls(native.default)
  } catch (error) {
    log.warn('bls-native-missing', { backend: 'noble', reason: String(error) })
    return nobleBls(random)
  }
}

/** BLS by `native`. */
export function nativeBls(native: Native): Bls {
  const keyOf = parsedKeys(native)
  const holds = async (message: Uint8Array, group: readonly SignedBy[]): Promise<boolean> => {
    const sets: { pk: NativeKey; sig: Uint8Array }[] = []
    for (const { publicKey, signature } of group) {
      const pk = keyOf(publicKey)
      // The library would read an uncompressed signature of 192 bytes as well.
      if (pk === undefined || signature.length !== 96) return false
      sets.push({ pk, sig: signature })
    }
    try {
      const { pk, sig } = await native.asyncAggregateWithRandomness(sets)
      return native.verify(message, pk, sig)
    } catch (error) {
      if (error instanceof Error) return false
      throw error
    }
  }
  return {
    name: 'blst',
    isPublicKey: (publicKey) => keyOf(publicKey) !== undefined,
    verifyEach: (message, signed) => bisect(signed, (group) => holds(message, group)),
    sumIfItHolds: (message, signed) => sumIfItHolds(native, keyOf, message, signed),
    aggregate: (signatures) =>
      native.aggregateSerializedSignatures([...signatures], false).toBytes(true),
    verifyAggregate: (message, publicKeys, signature) => {
      const keys: NativeKey[] = []
      for (const publicKey of publicKeys) {
        const key = keyOf(publicKey)
        if (key === undefined) return false
        keys.push(key)
      }
      if (keys.length === 0 || signature.length !== 96) return false
      try {
        const sum = native.aggregatePublicKeys(keys, false)
        const parsed = native.Signature.fromBytes(signature, true, true)
        return native.verify(message, sum, parsed, true, false)
      } catch (error) {
        if (error instanceof Error) return false
        throw error
      }
    },
  }
}

async function sumIfItHolds(
  native: Native,
  keyOf: (publicKey: Uint8Array) => NativeKey | undefined,
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Uint8Array | undefined> {
  if (signed.length === 0) return undefined
  const keys: NativeKey[] = []
  const signatures: NativeSignature[] = []
  try {
    for (const [at, { publicKey, signature }] of signed.entries()) {
      const key = keyOf(publicKey)
      if (key === undefined || signature.length !== 96) return undefined
      keys.push(key)
      // The point's group is checked once, on the sum; infinity is nobody's signature.
      signatures.push(native.Signature.fromBytes(signature, false))
      if (signature[0] === compressedInfinity) return undefined
      if (at % parsedTogether === parsedTogether - 1) await new Promise(setImmediate)
    }
    const sum = native.aggregateSignatures(signatures, false)
    const key = native.aggregatePublicKeys(keys, false)
    return native.verify(message, key, sum, true, true) ? sum.toBytes(true) : undefined
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** First byte of a compressed point at infinity. */
const compressedInfinity = 0xc0

/** Parses keys, each once. `undefined` = not a key; that is not kept. */
function parsedKeys(native: Native): (publicKey: Uint8Array) => NativeKey | undefined {
  // Validator sets change slowly, so age is a good enough measure of what to forget.
  const parsed = createGenerations<string, NativeKey>(keysPerGeneration)
  return (publicKey) => {
    const name = toHex(publicKey)
    const known = parsed.get(name)
    if (known !== undefined) return known
    if (publicKey.length !== 48) return undefined
    try {
      const key = native.PublicKey.fromBytes(publicKey, true)
      if (!equalBytes(key.toBytes(true), publicKey)) return undefined
      parsed.set(name, key)
      return key
    } catch (error) {
      if (error instanceof Error) return undefined
      throw error
    }
  }
}
