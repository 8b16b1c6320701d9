/**
 * Identity of our peer: a TLS key and certificate, whose hash is the node id, and a BLS key.
 *
 * The identity must outlive restarts: private L1s let in only the node ids on their list, and a
 * node takes one connection per id, so two replicas need two folders. Files and names are those
 * of a node's staking folder, so that an operator may bring one.
 */

import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto'

import { bls12_381 } from '@noble/curves/bls12-381.js'

import { signedAddressBytes } from '../codec/warp/peer-address.ts'
import { Fault } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import { createCertificate, createCertificateKey, nodeIdOf } from './certificate.ts'

/** An identity, ready for connections. */
export type Identity = {
  readonly nodeId: string
  readonly certificatePem: string
  readonly keyPem: string
  /** Compressed; for `platform` transactions that register this node. */
  readonly blsPublicKey: Uint8Array
  /** Both signatures over an address, as the handshake carries them. */
  readonly signAddress: (
    ip: Uint8Array,
    port: number,
    timestamp: bigint,
  ) => { readonly tls: Uint8Array; readonly bls: Uint8Array }
}

const fileNames = { key: 'staker.key', certificate: 'staker.crt', bls: 'signer.key' } as const

/**
 * The identity in `directory`; what is missing there is made and written, readable by the owner
 * only. Throws `bad-config` when a file is there but is not what its name says, or when a key has
 * no certificate: making a new one would change the node id unnoticed.
 */
export async function openIdentity(
  world: Pick<World, 'files' | 'random' | 'clock'>,
  directory: string,
): Promise<Identity> {
  const at = (name: string): string => `${directory}/${name}`
  const [key, certificate, secret] = await Promise.all([
    world.files.read(at(fileNames.key)),
    world.files.read(at(fileNames.certificate)),
    world.files.read(at(fileNames.bls)),
  ])
  if ((key === undefined) !== (certificate === undefined)) {
    throw new Fault('bad-config', `staking key and certificate must both be there: ${directory}`)
  }
  const tls =
    key === undefined || certificate === undefined
      ? createTls(world)
      : { keyPem: pemText(key), certificatePem: pemText(certificate) }
  const bls = secret ?? createBlsSecret(world.random.bytes(48))
  const identity = assemble(tls.keyPem, tls.certificatePem, bls)
  const encoder = new TextEncoder()
  if (key === undefined) {
    // The key first: a crash between the two leaves a fault that names the folder.
    await world.files.write(at(fileNames.key), encoder.encode(tls.keyPem))
    await world.files.write(at(fileNames.certificate), encoder.encode(tls.certificatePem))
  }
  if (secret === undefined) await world.files.write(at(fileNames.bls), bls)
  return identity
}

/** A new identity that is not kept, for networks that let in everyone. */
export function createIdentity(world: Pick<World, 'random' | 'clock'>): Identity {
  const { keyPem, certificatePem } = createTls(world)
  return assemble(keyPem, certificatePem, createBlsSecret(world.random.bytes(48)))
}

function createTls(world: Pick<World, 'random' | 'clock'>): {
  keyPem: string
  certificatePem: string
} {
  const key = createCertificateKey(world.random.bytes(32))
  const certificate = createCertificate(key, world.clock.now())
  return {
    keyPem: String(key.export({ format: 'pem', type: 'pkcs8' })),
    certificatePem: new X509Certificate(certificate).toString(),
  }
}

function assemble(keyPem: string, certificatePem: string, blsSecret: Uint8Array): Identity {
  const { key, certificate } = parseTls(keyPem, certificatePem)
  const publicKey = blsPublicKey(blsSecret)
  return {
    nodeId: nodeIdOf(certificate.raw),
    certificatePem,
    keyPem,
    blsPublicKey: publicKey,
    signAddress: (ip, port, timestamp) => {
      const bytes = signedAddressBytes(ip, port, timestamp)
      return { tls: sign('sha256', bytes, key), bls: signPossession(blsSecret, bytes) }
    },
  }
}

function parseTls(
  keyPem: string,
  certificatePem: string,
): { key: KeyObject; certificate: X509Certificate } {
  try {
    const key = createPrivateKey(keyPem)
    const certificate = new X509Certificate(certificatePem)
    if (certificate.checkPrivateKey(key)) return { key, certificate }
  } catch (error) {
    throw new Fault('bad-config', 'staking key or certificate is not PEM', { cause: error })
  }
  throw new Fault('bad-config', 'staking certificate does not belong to the staking key')
}

function pemText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Domain of proofs of possession, and of the addresses nodes sign: always noble, as blst fixes that of signatures. */
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
