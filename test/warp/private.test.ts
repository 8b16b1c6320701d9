/**
 * A private L1: its validators drop questions of strangers, and answer those to the P-Chain.
 *
 * Actions of five AvalancheGo nodes were recorded, under a node id they allow and under another.
 * The same requests are made here of validators with the same keys.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { fromHex, to0x, toHex } from '../../src/core/bytes.ts'
import { parseId } from '../../src/core/cb58.ts'
import { Fault } from '../../src/core/fault.ts'
import { parseRequest, type RequestBody } from '../../src/warp/aggregation/request.ts'
import { nativeBls } from '../../src/warp/bls/bls-native.ts'
import { parseValidators } from '../../src/warp/node.ts'
import { canonicalSet, quorumWeight } from '../../src/warp/validator-set.ts'
import { startNetwork, type TestNetwork } from '../support/nodes/warp-network.ts'

type Exchange = {
  operation: number
  body?: { message: string; pChainHeight: number }
  status: number
  answer: { signedMessage?: string; message?: string }
}
type Recording = {
  subnetId: string
  chainId: string
  validators: Record<string, Record<string, { publicKey: string; weight: string }>>
  allowed: { nodeId: string; asked: Exchange[] }
  stranger: { nodeId: string; asked: Exchange[] }
}
const recording: Recording = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/recorded-validator-manager-private.json', import.meta.url),
    'utf8',
  ),
)
const never = new AbortController().signal
const bls = nativeBls(native)

/** Height of the request to operation 1: the five nodes alone. */
const early = 102
/** Epoch of the chain when operation 2 was called: without one of them. */
const late = 113

/** Returns whether validators of a height signed, and enough of them. */
function verifies(signedMessage: Uint8Array, height: number): boolean {
  const set = canonicalSet(parseValidators(recording.validators[height]))
  const { unsigned, signature } = decodeSigned(signedMessage)
  const signers = decodeBitSet(signature.signers).map((index) => set.signers[index])
  const weight = signers.reduce((sum, signer) => sum + (signer?.weight ?? 0n), 0n)
  if (signers.includes(undefined) || weight < quorumWeight(set.totalWeight, 67)) return false
  const keys = signers.map((signer) => signer?.publicKey ?? new Uint8Array())
  return bls.verifyAggregate(unsigned, keys, signature.signature)
}

/** The recorded five in this process, which let us in or not. */
async function withPrivateL1(
  door: 'open' | 'shut',
  use: (network: TestNetwork) => Promise<void>,
): Promise<void> {
  const shut = { kind: 'private', allowed: [] } as const
  const behaviours = [shut, shut, shut, shut, shut]
  const network = await startNetwork({ behaviours, timeoutMs: 2_400 })
  const { nodeId } = network.identity
  const open = { kind: 'private', allowed: [nodeId] } as const
  if (door === 'open') for (const validator of network.validators) validator.setBehaviour(open)
  const subnetId = toHex(parseId(recording.subnetId))
  const { state } = network
  state.height = late
  state.proposedHeight = late
  state.chains[toHex(parseId(recording.chainId))] = subnetId
  state.validators[subnetId] = Object.entries(recording.validators[early] ?? {}).map(
    ([id, { publicKey, weight }]) => ({ nodeId: id, publicKey, weight }),
  )
  try {
    await use(network)
  } finally {
    await network.close()
  }
}

function aggregate({ aggregator }: TestNetwork, body: RequestBody): Promise<Uint8Array> {
  return aggregator.aggregate(parseRequest(body, 12_345), never)
}

/** The request to operation 1 and the two to operation 2, as they were answered. */
function exchangesOf({ asked: exchanges }: { asked: Exchange[] }): [Exchange, Exchange, Exchange] {
  const [chain, conversion, removal] = exchanges
  assert.ok(chain !== undefined && conversion !== undefined && removal !== undefined)
  return [chain, conversion, removal]
}

void test('private L1, recorded: every message that was signed verifies', () => {
  const heights = [early, late, late]
  let signed = 0
  for (const { asked: exchanges } of [recording.allowed, recording.stranger]) {
    for (const [at, { answer }] of exchanges.entries()) {
      if (answer.signedMessage === undefined) continue
      assert.ok(verifies(fromHex(answer.signedMessage), heights[at] ?? 0), `request ${at}`)
      signed++
    }
  }
  // The stranger missed one of three.
  assert.equal(signed, 5)
})

void test('private L1: an allowed node gets its message signed, as recorded', async () => {
  const [chain] = exchangesOf(recording.allowed)
  await withPrivateL1('open', async (network) => {
    const signed = await aggregate(network, chain.body ?? {})
    assert.ok(verifies(signed, early))
    const recorded = decodeSigned(fromHex(chain.answer.signedMessage ?? ''))
    assert.equal(to0x(decodeSigned(signed).unsigned), to0x(recorded.unsigned))
  })
})

void test('private L1: the refusal names the node id to allow, in the words recorded', async () => {
  const [chain] = exchangesOf(recording.stranger)
  assert.equal(chain.status, 400)
  await withPrivateL1('shut', async (network) => {
    const { nodeId } = network.identity
    const words = (chain.answer.message ?? '').replace(recording.stranger.nodeId, nodeId)
    assert.ok(words.endsWith(nodeId))
    await assert.rejects(aggregate(network, chain.body ?? {}), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'quorum-not-reached')
      assert.equal(error.message, words)
      return true
    })
  })
})

void test("private L1: the P-Chain's messages about it are signed for a stranger, as recorded", async () => {
  const [, ...spoken] = exchangesOf(recording.stranger)
  await withPrivateL1('shut', async (network) => {
    for (const { answer } of spoken) {
      const { unsigned } = decodeSigned(fromHex(answer.signedMessage ?? ''))
      const signingSubnetId = recording.subnetId
      const body = { message: to0x(unsigned), signingSubnetId, pChainHeight: early }
      assert.ok(verifies(await aggregate(network, body), early))
    }
  })
})
