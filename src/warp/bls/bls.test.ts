import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { fromHex, to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { blsPublicKey, createBlsSecret, signPossession } from '../../peer/identity.ts'
import { silentLog } from '../../telemetry/log.ts'
import { nativeBls, openBls } from './bls-native.ts'
import { nobleBls } from './bls-noble.ts'
import { bisect } from './bls.ts'

type Keys = {
  keys: { secretKey: string; publicKey: string; proofOfPossession: string }[]
}
type Messages = {
  validatorSet: { canonical: { validators: { publicKey: string }[] } }
  messages: {
    name: string
    unsignedMessage: string
    individualSignatures: { index: number; signature: string }[]
    signers: number[]
    aggregateSignature: string
  }[]
}
const read = (name: string): string =>
  readFileSync(new URL(`../../../vectors/warp/${name}`, import.meta.url), 'utf8')
const { keys }: Keys = JSON.parse(read('bls-keys.json'))
const { messages, validatorSet }: Messages = JSON.parse(read('canonical-set-and-messages.json'))
const publicKeys = validatorSet.canonical.validators.map(({ publicKey }) => fromHex(publicKey))
let counter = 0
const random = {
  // Not chance, and it need not be: the tests' wrong signatures do not know the sequence.
  bytes: (size: number) => Uint8Array.from({ length: size }, () => (counter += 37) & 255),
  number: () => 0.5,
}
const infinity = Uint8Array.from({ length: 96 }, (_, at) => (at === 0 ? 0xc0 : 0))

const backends = [nativeBls(native), nobleBls(random)]

for (const bls of backends) {
  void test(`BLS by ${bls.name}: single and aggregate signatures of the vectors hold`, async () => {
    for (const { name, unsignedMessage, ...message } of messages) {
      const unsigned = fromHex(unsignedMessage)
      const signed = message.individualSignatures.map(({ index, signature }) => ({
        publicKey: publicKeys[index]!,
        signature: fromHex(signature),
      }))
      assert.ok((await bls.verifyEach(unsigned, signed)).every(Boolean), name)
      const signers = message.signers.map((index) => signed[index]!)
      const aggregate = bls.aggregate(signers.map(({ signature }) => signature))
      assert.equal(to0x(aggregate), message.aggregateSignature, name)
      const keysOfSigners = signers.map(({ publicKey }) => publicKey)
      assert.equal(bls.verifyAggregate(unsigned, keysOfSigners, aggregate), true, name)
      const others = publicKeys.slice(0, signers.length - 1)
      assert.equal(bls.verifyAggregate(unsigned, others, aggregate), false, name)
      if (bls.name === 'noble') break // 20 times slower, the same code path
    }
  })

  void test(`BLS by ${bls.name}: exactly the wrong ones of a batch are found`, async () => {
    const [one, two] = messages
    const unsigned = fromHex(one!.unsignedMessage)
    const signatures = one!.individualSignatures.map(({ signature }) => fromHex(signature))
    const foreign = fromHex(two!.individualSignatures[2]!.signature)
    const uncompressed = native.Signature.fromBytes(signatures[0]!).toBytes(false)
    const wrong = [
      foreign,
      infinity,
      signatures[0]!.subarray(0, 95),
      uncompressed,
      new Uint8Array(),
    ]
    // noble is slow; what is malformed never reaches its pairing, so two cases are enough for it.
    for (const signature of bls.name === 'noble' ? wrong.slice(0, 2) : wrong) {
      const batch = signatures.map((good, at) => ({
        publicKey: publicKeys[at]!,
        signature: at === 2 ? signature : good,
      }))
      const truth = [true, true, false, true, true]
      assert.deepEqual(await bls.verifyEach(unsigned, batch), truth)
    }
    // Two wrong signatures whose sum is right must not pass.
    const [a, b] = [publicKeys[0]!, publicKeys[1]!]
    const swapped = [
      { publicKey: a, signature: signatures[1]! },
      { publicKey: b, signature: signatures[0]! },
    ]
    assert.deepEqual(await bls.verifyEach(unsigned, swapped), [false, false])
    const sum = bls.aggregate([signatures[0]!, signatures[1]!])
    assert.equal(bls.verifyAggregate(unsigned, [a, b], sum), true)
    assert.equal(bls.verifyAggregate(unsigned, [], sum), false)
    assert.equal(bls.verifyAggregate(unsigned, [a, b], sum.subarray(1)), false)
    assert.equal(bls.verifyAggregate(unsigned, [a, b], new Uint8Array(96)), false)
    assert.equal(bls.verifyAggregate(unsigned, [a, new Uint8Array(48)], sum), false)
    assert.deepEqual(await bls.verifyEach(unsigned, []), [])
    const badKey = { publicKey: new Uint8Array(48), signature: signatures[0]! }
    assert.deepEqual(await bls.verifyEach(unsigned, [badKey]), [false])
  })

  void test(`BLS by ${bls.name}: only points of the group are public keys`, () => {
    for (const { publicKey } of keys) assert.equal(bls.isPublicKey(fromHex(publicKey)), true)
    const key = fromHex(keys[0]!.publicKey)
    const infinite = Uint8Array.from({ length: 48 }, (_, at) => (at === 0 ? 0xc0 : 0))
    for (const bytes of [infinite, key.subarray(1), new Uint8Array(48), new Uint8Array()]) {
      assert.equal(bls.isPublicKey(bytes), false)
    }
    // Half of the small x are on the curve, and none of those points is in the subgroup.
    for (let x = 1; x < 20; x++) {
      const bytes = Uint8Array.from({ length: 48 }, (_, at) => (at === 0 ? 0x80 : at < 47 ? 0 : x))
      assert.equal(bls.isPublicKey(bytes), false, `x ${x}`)
    }
  })
}

void test('BLS keys: public keys and proofs of possession of the local stakers', () => {
  for (const { secretKey, publicKey, proofOfPossession } of keys) {
    const secret = fromHex(secretKey)
    assert.equal(to0x(blsPublicKey(secret)), publicKey)
    const proof = signPossession(secret, fromHex(publicKey))
    assert.equal(to0x(proof), proofOfPossession)
  }
  const fresh = createBlsSecret(random.bytes(48))
  assert.equal(fresh.length, 32)
  assert.equal(backends[0]!.isPublicKey(blsPublicKey(fresh)), true)
  assert.throws(() => blsPublicKey(new Uint8Array(31)), Fault)
})

void test('BLS: the native backend is taken where it loads', async () => {
  assert.equal((await openBls(silentLog, random)).name, 'blst')
})

void test('bisect: checks log n groups to find one wrong entry', async () => {
  let checks = 0
  const entries = Array.from({ length: 64 }, (_, at) => at)
  const found = await bisect(entries, async (group) => {
    checks++
    return !group.includes(37)
  })
  assert.deepEqual(
    entries.filter((at) => found[at] === false),
    [37],
  )
  assert.ok(checks <= 13, `checks ${checks}`)
})
