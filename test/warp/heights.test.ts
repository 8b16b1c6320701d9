/** Which validators a request is for, and the error when none can be reached. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { encode } from '../../src/codec/cursor.ts'
import { decodeBitSet, decodeSigned, unsignedMessage } from '../../src/codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../src/codec/warp/payload.ts'
import { fromHex, to0x, toHex } from '../../src/core/bytes.ts'
import { Fault, type FaultCode } from '../../src/core/fault.ts'
import { parseRequest, type RequestBody } from '../../src/warp/aggregation/request.ts'
import {
  type NetworkOptions,
  startNetwork,
  type TestNetwork,
} from '../support/nodes/warp-network.ts'

const never = new AbortController().signal
const primary = '00'.repeat(32)
const sign = { kind: 'sign' } as const
const five = [sign, sign, sign, sign, sign]

/** A block of some chain, which any validator may sign. */
const message = encode(unsignedMessage, {
  networkId: 12_345,
  sourceChainId: new Uint8Array(32).fill(9),
  payload: encode(warpPayload, { typeId: payloadTypes.hash, hash: new Uint8Array(32).fill(1) }),
})

async function withNetwork(
  options: NetworkOptions,
  use: (network: TestNetwork) => Promise<void>,
): Promise<void> {
  const network = await startNetwork(options)
  try {
    network.state.chains['09'.repeat(32)] = primary
    await use(network)
  } finally {
    await network.close()
  }
}

function aggregate({ aggregator }: TestNetwork, body: RequestBody = {}): Promise<Uint8Array> {
  return aggregator.aggregate(parseRequest({ message: toHex(message), ...body }, 12_345), never)
}

const signersOf = (signed: Uint8Array): number[] =>
  decodeBitSet(decodeSigned(signed).signature.signers)

const isFault =
  (code: FaultCode, pattern: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, pattern)
    return true
  }

void test('aggregation: where no validator could be reached, the error says so', async () => {
  const words = /67\*200 > 100\*0; no validator could be asked, needed 134 of 200; not connected: /
  await withNetwork({ behaviours: [sign, sign, sign], timeoutMs: 3_000 }, async (network) => {
    const { state, validators } = network
    const [one, two, three] = state.validators[primary]!
    state.validators[primary] = [one!, two!]
    state.validators['05'.repeat(32)] = [three!]
    state.peers = state.peers.map((peer) =>
      peer.nodeID === three!.nodeId ? peer : { ...peer, publicIP: '127.0.0.1:1' },
    )
    await assert.rejects(aggregate(network), isFault('not-served', words))
    // Somebody else of the network is connected.
    await aggregate(network, { signingSubnetId: '05'.repeat(32) })
    assert.equal(validators[2]!.handshakes.length, 1)
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', words))
  })
  const refuse = { kind: 'refuse', code: -3 } as const
  await withNetwork({ behaviours: [refuse, refuse] }, async (network) => {
    // The first refusal decides: the other validator may not have answered yet.
    const refused = /; weight reached 0, needed 134 of 200; .*refused with code -3/
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', refused))
  })
})

/** Requests of L1s to the P-Chain on real networks: to register a validator, to remove one. */
const forPlatform = (() => {
  const { cases, removalTransaction }: Recorded = JSON.parse(
    readFileSync(
      new URL('../../vectors/warp/recorded-signed-messages.json', import.meta.url),
      'utf8',
    ),
  )
  const registration = cases.find(({ name }) => name.startsWith('registration asked'))
  assert.ok(registration !== undefined)
  return [registration.signedMessage, removalTransaction.message].map((signed) => {
    const { unsigned, message: read } = decodeSigned(fromHex(signed))
    return { unsigned: to0x(unsigned), source: toHex(read.sourceChainId) }
  })
})()

type Recorded = {
  readonly cases: readonly { readonly name: string; readonly signedMessage: string }[]
  readonly removalTransaction: { readonly message: string }
}

void test('aggregation: what the P-Chain will verify is signed at the height of its epoch', async () => {
  const l1 = '07'.repeat(32)
  await withNetwork({ behaviours: five }, async (network) => {
    const { state, aggregator } = network
    const all = state.validators[primary]!
    // Who signs tells the height: one at 70, two at the proposed 90, three at 80.
    for (const [height, count] of [
      [70, 1],
      [90, 2],
      [80, 3],
    ] as const) {
      state.validatorsAt[`${l1}:${height}`] = all.slice(0, count)
    }
    state.validators[l1] = all
    for (const { source } of forPlatform) state.chains[source] = l1
    const signersAt = async (unsigned: string, body: RequestBody): Promise<number> => {
      const request = { message: unsigned, quorumPercentage: 100, ...body }
      return signersOf(await aggregator.aggregate(parseRequest(request, 12_345), never)).length
    }
    for (const { unsigned } of forPlatform) {
      state.epochs = {}
      assert.equal(await signersAt(unsigned, {}), 2, 'without epochs the proposed height')
      state.epochs[primary] = { number: '7', startTime: '1', pChainHeight: '70' }
      assert.equal(await signersAt(unsigned, {}), 1)
      assert.equal(await signersAt(unsigned, { pChainHeight: 0 }), 1)
      assert.equal(await signersAt(unsigned, { pChainHeight: 80 }), 3, 'as it is given')
      // The L1 is younger than the epoch: the message is for what comes then.
      state.validatorsAt[`${l1}:60`] = []
      state.epochs[primary] = { number: '6', startTime: '1', pChainHeight: '60' }
      assert.equal(await signersAt(unsigned, {}), 2)
    }
    // Other messages of the same chain are for other receivers.
    const [{ source } = { source: '' }] = forPlatform
    const call = { typeId: payloadTypes.hash, hash: new Uint8Array(32).fill(1) }
    const block = encode(unsignedMessage, {
      networkId: 12_345,
      sourceChainId: fromHex(source),
      payload: encode(warpPayload, call),
    })
    state.epochs[primary] = { number: '7', startTime: '1', pChainHeight: '70' }
    assert.equal(await signersAt(to0x(block), {}), 2)
  })
})
