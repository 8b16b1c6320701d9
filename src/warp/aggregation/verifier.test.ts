import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { fromHex } from '../../core/bytes.ts'
import { nativeBls } from '../bls/bls-native.ts'
import type { Bls, SignedBy } from '../bls/bls.ts'
import { proveEach, sortOut } from './verifier.ts'

type Messages = {
  validatorSet: { canonical: { validators: { publicKey: string }[] } }
  messages: {
    unsignedMessage: string
    individualSignatures: { signature: string }[]
    aggregateSignature: string
    signers: number[]
  }[]
}
const { messages, validatorSet }: Messages = JSON.parse(
  readFileSync(
    new URL('../../../vectors/warp/canonical-set-and-messages.json', import.meta.url),
    'utf8',
  ),
)
const [one] = messages
assert.ok(one !== undefined)
const unsigned = fromHex(one.unsignedMessage)
const recorded = one.individualSignatures.map(({ signature }, at): SignedBy => {
  const publicKey = validatorSet.canonical.validators[at]?.publicKey ?? ''
  return { publicKey: fromHex(publicKey), signature: fromHex(signature) }
})

/** Signatures of `count` keys, and the library with its questions counted. */
function many(count: number): {
  signed: SignedBy[]
  bls: Bls
  checks: { sums: number; each: number }
} {
  const signed = Array.from({ length: count }, (_, at) => {
    const key = native.SecretKey.fromKeygen(new Uint8Array(32).fill(at + 1))
    return {
      publicKey: key.toPublicKey().toBytes(true),
      signature: key.sign(unsigned).toBytes(true),
    }
  })
  const checks = { sums: 0, each: 0 }
  const real = nativeBls(native)
  const bls: Bls = {
    ...real,
    sumIfItHolds: (message, group) => {
      checks.sums++
      return real.sumIfItHolds(message, group)
    },
    verifyEach: (message, group) => {
      checks.each += group.length
      return real.verifyEach(message, group)
    },
  }
  return { signed, bls, checks }
}

/** The signatures of `signed`, those at `places` replaced by that of another key. */
function spoiled(signed: readonly SignedBy[], places: readonly number[]): SignedBy[] {
  const foreign = recorded[0]?.signature ?? new Uint8Array()
  return signed.map((each, at) => (places.includes(at) ? { ...each, signature: foreign } : each))
}

void test('sort out: recorded signatures hold together, and their sum is the recorded one', async () => {
  const bls = nativeBls(native)
  const signers = one.signers.map((index) => recorded[index] ?? assert.fail())
  const { verdicts, sum } = await sortOut(bls, unsigned, signers)
  assert.deepEqual(
    verdicts,
    signers.map(() => 'summed'),
  )
  assert.deepEqual(sum, fromHex(one.aggregateSignature))
})

void test('sort out: exactly the wrong ones are found, few by sums and many one by one', async () => {
  for (const places of [
    [0],
    [39],
    [3, 4],
    [0, 13, 26, 39],
    [...Array(13).keys()].map((at) => at * 3),
  ]) {
    const { signed, bls, checks } = many(40)
    const { verdicts, sum } = await sortOut(bls, unsigned, spoiled(signed, places))
    assert.equal(sum, undefined)
    const wrong = [...verdicts.keys()].filter((at) => verdicts[at] === 'wrong')
    assert.deepEqual(wrong, places)
    assert.equal(checks.each > 0, places.length > 4, `${places.length} wrong`)
  }
})

void test('sort out: one wrong signature of 64 costs one sum for each halving', async () => {
  const { signed, bls, checks } = many(64)
  await sortOut(bls, unsigned, spoiled(signed, [63]))
  // The first sum and the left half of each of six halvings: the left holds, so the right is known.
  assert.deepEqual(checks, { sums: 7, each: 0 })
})

void test('sort out: wrong signatures that cancel each other out hold together and not alone', async () => {
  const { signed, bls } = many(3)
  const [a, b, c] = signed
  assert.ok(a !== undefined && b !== undefined && c !== undefined)
  const swapped = [{ ...a, signature: b.signature }, { ...b, signature: a.signature }, c]
  const { verdicts } = await sortOut(bls, unsigned, swapped)
  assert.deepEqual(verdicts, ['summed', 'summed', 'summed'])
  assert.deepEqual(await proveEach(bls, unsigned, swapped), ['wrong', 'wrong', 'proven'])
})
