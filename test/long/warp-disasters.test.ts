/**
 * Disasters of signing networks: a thousand validators of whom a third is away and others misbehave
 * in every way, and sets that change from one epoch to the next while messages are signed.
 *
 * The bits of the answer say who signed; that they did is verified here, by the keys that the
 * validators were made with.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { fromHex, toHex } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { defaultPeerLimits } from '../../src/peer/limits.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import { startNetwork, type TestNetwork } from '../support/nodes/warp-network.ts'
import type { Behaviour, Validator } from '../support/nodes/warp-validator.ts'

const primary = '00'.repeat(32)
/** A chain that the primary network validates. */
const source = '0c'.repeat(32)
const never = new AbortController().signal
const sign = { kind: 'sign' } as const

/** Far above what a thousand connections and answers take. */
const patienceMs = 150_000

/** Everything a validator does wrong that does not end at the first greeting. */
const misbehaviours: readonly Behaviour[] = [
  { kind: 'sign-other' },
  { kind: 'sign-unasked' },
  { kind: 'sign-too-late' },
  { kind: 'sign-with', secret: fromHex(`01${'03'.repeat(31)}`) },
  { kind: 'answer', signature: new Uint8Array(96).fill(0xc0) },
  { kind: 'flood' },
  { kind: 'silent' },
  { kind: 'drop' },
  { kind: 'unreadable' },
  { kind: 'refuse', code: -2 },
]

/** An unsigned message of the local network about block `at` of a chain, a payload of one hash. */
function messageOf(at: number): string {
  const hash = at.toString(16).padStart(64, '0')
  const payload = `000000000000${hash}`
  return `0x000000003039${source}00000026${payload}`
}

async function signed(
  { aggregator, state }: TestNetwork,
  at: number,
  body: { readonly quorumPercentage?: number; readonly pChainHeight?: number } = {},
): Promise<Uint8Array> {
  state.chains[source] = primary
  const request = { message: messageOf(at), ...body }
  return aggregator.aggregate(parseRequest(request, 12_345), never)
}

/** Who signed, after the sum of their signatures was verified with their keys. */
function signersOf(bytes: Uint8Array, at: number, set: readonly Validator[]): Validator[] {
  const { signature } = decodeSigned(bytes)
  const canonical = set.toSorted((a, b) => (uncompressed(a) < uncompressed(b) ? -1 : 1))
  const signers = decodeBitSet(signature.signers).map((bit) => {
    const signer = canonical[bit]
    assert.ok(signer !== undefined, `no validator ${bit}`)
    return signer
  })
  const keys = signers.map(({ publicKey }) => native.PublicKey.fromBytes(publicKey))
  const sum = native.Signature.fromBytes(signature.signature)
  const message = fromHex(messageOf(at).slice(2))
  assert.ok(native.fastAggregateVerify(message, keys, sum), 'the signature is that of its signers')
  return signers
}

/** Source: avalanchego vms/platformvm/warp/validator.go: sets are in the order of these bytes. */
function uncompressed({ publicKey }: Validator): string {
  return toHex(native.PublicKey.fromBytes(publicKey).toBytes(false))
}

void test('disasters: of 1,000 validators a third is away and others misbehave', async (context) => {
  const away = 320
  const behaviours = Array.from({ length: 1_000 }, () => sign)
  // A busy machine makes two thousand ends of connections in one process for minutes.
  const waits = { handshakeMs: patienceMs, frameMs: patienceMs, silenceMs: patienceMs }
  const limits = {
    ...defaultPeerLimits,
    ...waits,
    answerMs: patienceMs,
    retryMs: 1_000,
    dialsPerSecond: 250,
  }
  const network = await startNetwork({ behaviours, limits, timeoutMs: 2 * patienceMs })
  try {
    const { validators } = network
    for (const one of validators.slice(0, away)) await one.close()
    const here = new Set(validators.slice(away))
    const began = performance.now()
    const all = signersOf(await signed(network, 1), 1, validators)
    context.diagnostic(`first: ${Math.round(performance.now() - began)} ms`)
    // Equal weights: 670 of 1,000 are needed and 680 are there.
    assert.ok(all.length >= 670 && all.length <= 680, `${all.length} signed`)
    assert.ok(all.every((one) => here.has(one)))

    // One in ten of the others misbehaves: 67 is out of reach, and what is there is enough for 60.
    const bad = validators.slice(away, away + 68)
    // Here an answer is waited for longer than the latest of them takes.
    const kinds = misbehaviours.filter(({ kind }) => kind !== 'sign-too-late')
    for (const [at, one] of bad.entries()) {
      const behaviour = kinds[at % kinds.length]
      assert.ok(behaviour !== undefined)
      one.setBehaviour(behaviour)
    }
    await assert.rejects(signed(network, 2), (error) => {
      assert.ok(error instanceof Fault && error.code === 'quorum-not-reached', String(error))
      const reached = Number(/weight reached (\d+), needed 67000/.exec(error.message)?.[1])
      assert.ok(reached > 0 && reached <= 61_200, error.message)
      return true
    })
    const rest = signersOf(await signed(network, 3, { quorumPercentage: 60 }), 3, validators)
    assert.ok(rest.length >= 600 && rest.length <= 612, `${rest.length} signed`)
    assert.ok(rest.every((one) => here.has(one) && !bad.includes(one)))
  } finally {
    await network.close()
  }
})

for (const behaviour of misbehaviours)
  void test(`disasters: one of five that answers "${behaviour.kind}" is left out`, async () => {
    const behaviours = [sign, behaviour, sign, sign, sign]
    const network = await startNetwork({ behaviours, timeoutMs: 4_000 })
    try {
      const { validators } = network
      const signers = signersOf(await signed(network, 1), 1, validators)
      assert.equal(signers.length, 4)
      assert.ok(!signers.includes(validators[1]!))
    } finally {
      await network.close()
    }
  })

void test('disasters: sets that change between epochs sign each for their own height', async () => {
  const network = await startNetwork({ behaviours: Array.from({ length: 9 }, () => sign) })
  try {
    const { validators, state } = network
    const listed = state.validators[primary]!
    // Three leave and three come with each epoch.
    const heights = [60, 70, 80] as const
    const setAt = (epoch: number): Validator[] => validators.slice(epoch * 2, epoch * 2 + 5)
    for (const [epoch, height] of heights.entries())
      state.validatorsAt[`${primary}:${height}`] = listed.slice(epoch * 2, epoch * 2 + 5)
    // All at once, several messages of each epoch, so that what one learns another could misuse.
    const requests = heights.flatMap((height, epoch) =>
      [1, 2, 3].map((at) => ({ height, epoch, at })),
    )
    await Promise.all(
      requests.map(async ({ height, epoch, at }) => {
        const bytes = await signed(network, at, { pChainHeight: height, quorumPercentage: 100 })
        const signers = signersOf(bytes, at, setAt(epoch))
        assert.deepEqual(new Set(signers), new Set(setAt(epoch)), `height ${height}`)
      }),
    )
  } finally {
    await network.close()
  }
})
