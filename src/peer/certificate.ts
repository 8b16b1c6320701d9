/**
 * Certificates of nodes: making our own, and judging those of others.
 *
 * A certificate is only a wrapping of a key here. Names and dates are never looked at; the hash of
 * the whole is the node's id, so the bytes must never change.
 *
 * Source: avalanchego staking/tls.go, staking/parse.go, network/peer/tls_config.go; RFC 5280.
 */

import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'

import { concatBytes } from '../core/bytes.ts'
import { toNodeId } from '../core/cb58.ts'
import { Fault } from '../core/fault.ts'
import { hash160 } from '../core/hash.ts'

/** Longest certificate a node accepts, DER. Source: staking/parse.go `MaxCertificateLen`. */
const maxCertificateSize = 2_048

const tag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

// Object identifiers as DER: ecdsa-with-SHA256, id-ecPublicKey with prime256v1, the two extensions.
const ecdsaWithSha256 = Uint8Array.of(6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2)
const keyUsage = Uint8Array.of(6, 3, 0x55, 0x1d, 0x0f)
const basicConstraints = Uint8Array.of(6, 3, 0x55, 0x1d, 0x13)
const yes = Uint8Array.of(1, 1, 0xff)

/** `NodeID-…` of a certificate. */
export function nodeIdOf(certificate: Uint8Array): string {
  return toNodeId(hash160(certificate))
}

/**
 * A private key on P-256 from 32 random bytes.
 *
 * Throws `bad-bytes` in the one case of 2^32 in which the bytes are no scalar of the curve.
 */
export function createCertificateKey(random: Uint8Array): KeyObject {
  const curve = createECDH('prime256v1')
  try {
    curve.setPrivateKey(random)
  } catch (error) {
    throw new Fault('bad-bytes', 'random bytes are not a private key', { cause: error })
  }
  const point = curve.getPublicKey()
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: text(random),
      x: text(point.subarray(1, 33)),
      y: text(point.subarray(33)),
    },
  })
}

/** A self-signed certificate as nodes make it, DER: about 280 bytes, valid for 100 years. */
export function createCertificate(key: KeyObject, nowMs: number): Uint8Array {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const algorithm = der(tag.sequence, ecdsaWithSha256)
  const until = new Date(nowMs)
  until.setUTCFullYear(until.getUTCFullYear() + 100)
  const body = der(
    tag.sequence,
    Uint8Array.of(0xa0, 3, tag.integer, 1, 2), // version 3
    der(tag.integer, Uint8Array.of(0)),
    algorithm,
    der(tag.sequence),
    der(
      tag.sequence,
      der(tag.utcTime, ascii('991231000000Z')),
      der(tag.generalizedTime, ascii(`${until.toISOString().replace(/[-:T]|\.\d+/g, '')}`)),
    ),
    der(tag.sequence),
    spki,
    extensions(),
  )
  const signature = sign('sha256', body, key)
  return der(tag.sequence, body, algorithm, der(tag.bitString, Uint8Array.of(0), signature))
}

/** Extensions: digital signature only, not an authority; both critical. */
function extensions(): Uint8Array {
  const usage = der(tag.bitString, Uint8Array.of(7, 0x80))
  const list = der(
    tag.sequence,
    der(tag.sequence, keyUsage, yes, der(tag.octetString, usage)),
    der(tag.sequence, basicConstraints, yes, der(tag.octetString, der(tag.sequence))),
  )
  return der(0xa3, list)
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function der(type: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...parts)
  const { length } = content
  if (length < 128) return concatBytes(Uint8Array.of(type, length), content)
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return concatBytes(Uint8Array.of(type, ...size), content)
}

/**
 * The key of a node's certificate, when nodes would accept it: at most 2,048 bytes, ECDSA on
 * P-256, or RSA of 2,048 or 4,096 bits with exponent 65,537. `undefined` otherwise.
 */
export function acceptedKey(certificate: Uint8Array): KeyObject | undefined {
  if (certificate.length > maxCertificateSize) return undefined
  try {
    const key = new X509Certificate(certificate).publicKey
    return isAccepted(key) ? key : undefined
  } catch (error) {
    // OpenSSL throws plain errors for whatever it cannot read.
    if (error instanceof Error) return undefined
    throw error
  }
}

function isAccepted(key: KeyObject): boolean {
  const details = key.asymmetricKeyDetails
  if (key.asymmetricKeyType === 'ec') return details?.namedCurve === 'prime256v1'
  if (key.asymmetricKeyType !== 'rsa') return false
  const bits = details?.modulusLength
  return (bits === 2_048 || bits === 4_096) && details?.publicExponent === 65_537n
}

/** Returns whether `signature` is by the certificate's key over SHA-256 of `bytes`. */
export function verifyCertified(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify('sha256', bytes, key, signature)
}
