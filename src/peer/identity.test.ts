import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { bls12_381 } from '@noble/curves/bls12-381.js'

import { parseIp, signedAddressBytes } from '../codec/warp/peer-address.ts'
import { fromHex, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import {
  acceptedKey,
  createCertificate,
  createCertificateKey,
  nodeIdOf,
  verifyCertified,
} from './certificate.ts'
import { openIdentity } from './identity.ts'

type Certificates = { certs: { nodeId: string; derHex: string }[] }
const { certs }: Certificates = JSON.parse(
  readFileSync(new URL('../../vectors/warp/staking-certs.json', import.meta.url), 'utf8'),
)

/** A folder in memory, and chance that is not. */
function folder(seed: number) {
  const stored = new Map<string, Uint8Array>()
  let draws = 0
  return {
    stored,
    files: {
      read: async (path: string) => stored.get(path),
      write: async (path: string, bytes: Uint8Array) => void stored.set(path, bytes),
      remove: async () => {},
      list: async () => [...stored.keys()],
    },
    random: {
      bytes: (size: number) => {
        const hash = createHash('sha512').update(`${seed}:${draws++}`).digest()
        return new Uint8Array(hash.subarray(0, size))
      },
      number: () => 0,
    },
    clock: {
      now: () => Date.UTC(2026, 10, 21),
      monotonic: () => 0,
      sleep: async () => {},
    },
  }
}

void test('certificate: node ids of the local stakers, whose keys are accepted', () => {
  for (const { nodeId, derHex } of certs) {
    assert.equal(nodeIdOf(fromHex(derHex)), nodeId)
    assert.equal(acceptedKey(fromHex(derHex))?.asymmetricKeyType, 'rsa')
  }
})

void test('certificate: ours has the form nodes make and OpenSSL reads', () => {
  const key = createCertificateKey(Uint8Array.from({ length: 32 }, () => 7))
  const certificate = createCertificate(key, Date.UTC(2026, 10, 21, 1, 2, 3))
  const read = new X509Certificate(certificate)
  assert.equal(toHex(read.raw), toHex(certificate))
  assert.equal(read.serialNumber, '0')
  assert.equal(read.subject, undefined)
  assert.equal(read.validFrom, 'Dec 31 00:00:00 1999 GMT')
  assert.equal(read.validTo, 'Nov 21 01:02:03 2126 GMT')
  assert.equal(read.ca, false)
  assert.equal(read.verify(read.publicKey), true)
  assert.ok(certificate.length < 300)
  assert.equal(acceptedKey(certificate)?.asymmetricKeyType, 'ec')
  assert.throws(() => createCertificateKey(new Uint8Array(32)), Fault)
})

void test('certificate: keys that nodes refuse are refused', () => {
  const ed25519 = generateKeyPairSync('ed25519').privateKey
  const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey
  // Signed as ECDSA P-256 or not at all: only the key inside matters here.
  assert.equal(acceptedKey(createCertificate(p384, 0)), undefined)
  assert.equal(acceptedKey(fromHex(certs[0]!.derHex).subarray(1)), undefined)
  assert.equal(acceptedKey(new Uint8Array()), undefined)
  assert.equal(acceptedKey(new Uint8Array(2_049)), undefined)
  assert.equal(ed25519.asymmetricKeyType, 'ed25519')
})

void test('identity: made once, then the same from its files', async () => {
  const world = folder(1)
  const made = await openIdentity(world, 'staking')
  assert.deepEqual([...world.stored.keys()].toSorted(), [
    'staking/signer.key',
    'staking/staker.crt',
    'staking/staker.key',
  ])
  assert.equal(world.stored.get('staking/signer.key')?.length, 32)
  const again = await openIdentity({ ...folder(2), files: world.files }, 'staking')
  assert.equal(again.nodeId, made.nodeId)
  assert.deepEqual(again.blsPublicKey, made.blsPublicKey)
  const other = await openIdentity(folder(3), 'staking')
  assert.notEqual(other.nodeId, made.nodeId)
})

void test('identity: both signatures over the address hold', async () => {
  const identity = await openIdentity(folder(4), 'staking')
  const ip = parseIp('0.0.0.0')
  const { tls, bls } = identity.signAddress(ip, 1, 1_700_000_000n)
  const bytes = signedAddressBytes(ip, 1, 1_700_000_000n)
  const key = acceptedKey(new X509Certificate(identity.certificatePem).raw)
  assert.ok(key !== undefined && verifyCertified(key, bytes, tls))
  assert.equal(verifyCertified(key, bytes.subarray(1), tls), false)
  const { longSignatures } = bls12_381
  const domain = 'BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'
  const holds = (message: Uint8Array): boolean =>
    longSignatures.verify(bls, longSignatures.hash(message, domain), identity.blsPublicKey)
  assert.deepEqual([holds(bytes), holds(bytes.subarray(1))], [true, false])
})

void test('identity: a folder that is not one is a fault, and nothing is overwritten', async () => {
  const good = folder(5)
  await openIdentity(good, 'staking')
  const foreign = folder(6)
  await openIdentity(foreign, 'staking')
  const cases: [string, Uint8Array | undefined][] = [
    ['staker.crt', undefined],
    ['staker.key', undefined],
    ['staker.crt', foreign.stored.get('staking/staker.crt')],
    ['staker.key', fromHex('00')],
    ['signer.key', new Uint8Array(31)],
  ]
  for (const [name, bytes] of cases) {
    const world = folder(7)
    for (const [path, stored] of good.stored) world.stored.set(path, stored)
    if (bytes === undefined) world.stored.delete(`staking/${name}`)
    else world.stored.set(`staking/${name}`, bytes)
    const before = [...world.stored]
    await assert.rejects(
      openIdentity(world, 'staking'),
      (error) => {
        return error instanceof Fault && error.code === 'bad-config'
      },
      name,
    )
    assert.deepEqual([...world.stored], before, name)
  }
})
