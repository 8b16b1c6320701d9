import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { Fault, type FaultCode } from '../../src/core/fault.ts'
import { parseRequest, type RequestBody } from '../../src/warp/aggregation/request.ts'
import { nobleBls } from '../../src/warp/bls/bls-noble.ts'
import type { Bls } from '../../src/warp/bls/bls.ts'
import {
  type NetworkOptions,
  realWorld,
  stakerKeys,
  startNetwork,
  type TestNetwork,
  until,
} from '../support/nodes/warp-network.ts'

type Messages = {
  validatorSet: { input: Record<string, { publicKey: string | null; weight: string }> }
  messages: {
    name: string
    unsignedMessage: string
    signers: number[]
    signedMessage: string
    signedWeight: string
  }[]
}
const { messages, validatorSet }: Messages = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/canonical-set-and-messages.json', import.meta.url),
    'utf8',
  ),
)
const message = messages.find(({ name }) => name === 'l1ValidatorRegistration')!.unsignedMessage
const never = new AbortController().signal

async function withNetwork(
  options: NetworkOptions,
  use: (network: TestNetwork) => Promise<void>,
): Promise<void> {
  const network = await startNetwork(options)
  try {
    await use(network)
  } finally {
    await network.close()
  }
}

function aggregate({ aggregator }: TestNetwork, body: RequestBody = {}): Promise<Uint8Array> {
  return aggregator.aggregate(parseRequest({ message, ...body }, 12_345), never)
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

const sign = { kind: 'sign' } as const
const five = [sign, sign, sign, sign, sign]

void test('aggregation: five real stakers sign, and no more signers are named than needed', async () => {
  await withNetwork({ behaviours: five, weights: [100, 101, 102, 103, 104] }, async (network) => {
    const signed = await aggregate(network)
    // 67 % of 510 are 342: any four.
    assert.equal(signersOf(signed).length, 4)
    // The fifth may still be greeting.
    await until(() => network.aggregator.status().peers.connected === 5)
    for (const { handshakes, refusals } of network.validators) {
      assert.equal(handshakes.length, 1)
      assert.deepEqual(refusals, [])
    }
    assert.equal(network.aggregator.status().nodeId, network.identity.nodeId)
  })
})

void test('aggregation: the sum that is answered is verified once', async () => {
  const calls: string[] = []
  const watched = (bls: Bls): Bls => ({
    ...bls,
    sumIfItHolds: (unsigned, signed) => {
      calls.push(`sum of ${signed.length}`)
      return bls.sumIfItHolds(unsigned, signed)
    },
    verifyAggregate: (unsigned, publicKeys, signature) => {
      calls.push(`aggregate of ${publicKeys.length}`)
      return bls.verifyAggregate(unsigned, publicKeys, signature)
    },
  })
  await withNetwork({ behaviours: five, watched }, async (network) => {
    const all = { quorumPercentage: 100 }
    const first = await aggregate(network, all)
    assert.deepEqual(calls, ['sum of 5'])
    // The other library agrees.
    const { unsigned, signature } = decodeSigned(first)
    const keys = network.state.validators['00'.repeat(32)]
    assert.equal(keys?.length, 5)
    const publicKeys = keys.map(({ publicKey }) => fromHex(String(publicKey)))
    const other = nobleBls(realWorld().random)
    assert.ok(other.verifyAggregate(unsigned, publicKeys, signature.signature))
    // Fewer signers, from what was kept: each proven by itself, summed anew, and that is verified.
    calls.length = 0
    const fewer = signersOf(await aggregate(network, { quorumPercentage: 60 })).length
    assert.ok(fewer < 5)
    assert.deepEqual(calls, [`aggregate of ${fewer}`])
  })
})

void test('aggregation: signed messages of the vectors, byte for byte', async () => {
  const entries = Object.entries(validatorSet.input).map(([nodeId, entry]) => ({
    nodeId,
    ...entry,
  }))
  // Canonical index of local stakers 1 to 5.
  const places = [4, 1, 2, 3, 0]
  for (const { name, unsignedMessage, signers, signedMessage, signedWeight } of messages) {
    const networkId = Number.parseInt(unsignedMessage.slice(6, 14), 16)
    const behaviours = places.map((place) =>
      signers.includes(place) ? sign : ({ kind: 'refuse', code: 1 } as const),
    )
    await withNetwork({ behaviours, networkId }, async ({ state, aggregator }) => {
      // One key twice, one entry without a key: 567 in all.
      state.validators['00'.repeat(32)] = entries
      state.chains[unsignedMessage.slice(14, 78)] = '00'.repeat(32)
      const quorumPercentage = Math.floor((Number(signedWeight) * 100) / 567)
      const body = { message: unsignedMessage, quorumPercentage }
      const signed = await aggregator.aggregate(parseRequest(body, networkId), never)
      assert.equal(to0x(signed), signedMessage, name)
    })
  }
})

void test('aggregation: 67 of 100 is enough and 66 is not, also where weights fill 64 bits', async () => {
  // 67 % of 2^64 - 1 is 12_359_293_149_306_699_782.05: one more than the first weight has.
  const total = 2n ** 64n - 1n
  const enough = (total * 67n + 99n) / 100n
  const refuse = { kind: 'refuse', code: 1 } as const
  for (const signing of [enough, enough - 1n]) {
    const weights = [String(signing), String(total - signing)]
    await withNetwork({ behaviours: [sign, refuse], weights }, async (network) => {
      if (signing === enough) assert.equal(signersOf(await aggregate(network)).length, 1)
      else {
        const text = `signature weight is insufficient: 67\\*${total} > 100\\*\\d+; `
        await assert.rejects(aggregate(network), isFault('quorum-not-reached', new RegExp(text)))
      }
    })
  }
})

void test('aggregation: an impossible quorum fails at once and says who refused', async () => {
  const refuse = { kind: 'refuse', code: 3, text: 'bad payload' } as const
  const behaviours = [sign, { kind: 'silent' } as const, sign, refuse, refuse]
  await withNetwork({ behaviours, timeoutMs: 20_000 }, async (network) => {
    const began = performance.now()
    const named = network.validators.slice(3).map(({ nodeId }) => nodeId)
    await assert.rejects(aggregate(network), (error) => {
      assert.ok(error instanceof Fault && error.code === 'quorum-not-reached')
      const pattern = /refused with code 3 \(bad payload\): (NodeID-\w+), (NodeID-\w+)/
      assert.deepEqual(pattern.exec(error.message)?.slice(1, 3).toSorted(), named.toSorted())
      assert.match(error.message, /needed 335 of 500/)
      return true
    })
    assert.ok(performance.now() - began < 3_000)
  })
})

void test('aggregation: keyless weight counts to the total and makes a quorum impossible', async () => {
  await withNetwork({ behaviours: five }, async (network) => {
    const entries = network.state.validators['00'.repeat(32)]!
    const inactive = { nodeId: 'NodeID-111111111111111111116DBWJs', publicKey: null, weight: '250' }
    network.state.validators['00'.repeat(32)] = [...entries, inactive]
    const pattern = /needed 503 of 750; .*weight of validators without a key: 250/
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', pattern))
    assert.equal(signersOf(await aggregate(network, { quorumPercentage: 66 })).length, 5)
  })
})

void test('aggregation: with a buffer, more sign where more answer, else all who did', async () => {
  await withNetwork({ behaviours: five }, async (network) => {
    const body = { quorumPercentage: 60, quorumPercentageBuffer: 0 }
    assert.equal(signersOf(await aggregate(network, body)).length, 3)
    const more = { quorumPercentage: 60, quorumPercentageBuffer: 20 }
    assert.equal(signersOf(await aggregate(network, more)).length, 4)
  })
  const refuse = { kind: 'refuse', code: 5 } as const
  await withNetwork({ behaviours: [sign, sign, sign, sign, refuse] }, async (network) => {
    const began = performance.now()
    const body = { quorumPercentage: 60, quorumPercentageBuffer: 40 }
    assert.equal(signersOf(await aggregate(network, body)).length, 4)
    assert.ok(performance.now() - began < 1_500, 'all have answered: nobody is waited for')
  })
  const slow = [sign, sign, sign, sign, { kind: 'silent' } as const]
  await withNetwork({ behaviours: slow }, async (network) => {
    const body = { quorumPercentage: 60, quorumPercentageBuffer: 40 }
    assert.equal(signersOf(await aggregate(network, body)).length, 4)
  })
})

void test('aggregation: an L1 validator that cannot pay is left out, and its weight with it', async () => {
  const subnet = '05'.repeat(32)
  await withNetwork({ behaviours: five }, async (network) => {
    const { state, validators } = network
    state.validators[subnet] = state.validators['00'.repeat(32)]!
    const manager = {
      conversionID: '2cXvieruyJvripPCinMYJ2mzSQ45uwSWYemdLVUT3V7VAWEV3x',
      managerChainID: '11111111111111111111111111111111LpoYY',
    }
    state.conversions[subnet] = manager
    state.balances[subnet] = [
      { nodeID: validators[0]!.nodeId, balance: '2047' },
      { nodeID: validators[1]!.nodeId, balance: '2048' },
    ]
    const body = { signingSubnetId: subnet, quorumPercentage: 81 }
    const pattern = new RegExp(`cannot pay for its validation: ${validators[0]!.nodeId}`)
    await assert.rejects(aggregate(network, body), isFault('quorum-not-reached', pattern))
    const signed = await aggregate(network, { ...body, quorumPercentage: 80 })
    // Staker 1 is last in canonical order.
    assert.deepEqual(signersOf(signed), [0, 1, 2, 3])
    assert.equal(validators[0]!.requests(), 0)
  })
})

void test('aggregation: requests for one message share the work, and verified signatures stay', async () => {
  await withNetwork({ behaviours: five, validator: { delayMs: 100 } }, async (network) => {
    const bodies = Array.from({ length: 30 }, (_, at) => ({ quorumPercentage: 40 + (at % 3) * 20 }))
    const all = await Promise.all(bodies.map((body) => aggregate(network, body)))
    assert.deepEqual(
      [...new Set(all.map((signed) => signersOf(signed).length))].toSorted((a, b) => a - b),
      [2, 3, 4],
    )
    for (const validator of network.validators) assert.ok(validator.requests() <= 1)
    for (const validator of network.validators) validator.setBehaviour({ kind: 'silent' })
    const again = await aggregate(network, { quorumPercentage: 79 })
    assert.equal(signersOf(again).length, 4)
    assert.ok(network.aggregator.status().counters.cached >= 4)
  })
})

void test('aggregation: a validator that was not ready is asked again and counts', async () => {
  const behaviours = [
    sign,
    sign,
    sign,
    { kind: 'refuse-first', code: 11 } as const,
    { kind: 'silent' } as const,
  ]
  await withNetwork({ behaviours, timeoutMs: 10_000 }, async (network) => {
    assert.equal(signersOf(await aggregate(network)).length, 4)
    assert.equal(network.validators[3]!.requests(), 2)
  })
})

void test('aggregation: without any peer the error names our network, with one it names the validators', async () => {
  await withNetwork({ behaviours: [sign, sign], listsPeers: false }, async (network) => {
    const [first, second] = network.validators
    const nowhere = '127.0.0.1:1'
    network.state.peers = [
      { nodeID: first!.nodeId, publicIP: nowhere },
      { nodeID: second!.nodeId, publicIP: nowhere },
    ]
    const words = /failed to connect to a threshold of stake: .* 67\*200 > 100\*0; .*not connected/
    await assert.rejects(aggregate(network), isFault('not-served', words))
  })
  await withNetwork({ behaviours: [sign, sign] }, async (network) => {
    network.state.peers[0] = { ...network.state.peers[0]!, publicIP: '127.0.0.1:1' }
    const words = /^failed to connect to a threshold of stake: /
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', words))
  })
})

void test('aggregation: a caller goes back so many heights and not one more, a transaction any number', async () => {
  const justification = '05'.repeat(32)
  const conversion = {
    subnetId: new Uint8Array(32).fill(5),
    managerChainId: new Uint8Array(32),
    managerAddress: new Uint8Array(20),
    validators: [],
  }
  const history = {
    transaction: async () => ({ kind: 'conversion', conversion }) as const,
    validation: async () => undefined,
    managerChain: async () => undefined,
  }
  await withNetwork({ behaviours: five, messages: history }, async ({ state, aggregator }) => {
    state.height = 2_005
    state.proposedHeight = 2_000
    const at = (pChainHeight: number): Promise<Uint8Array> =>
      aggregator.aggregate(parseRequest({ message, justification, pChainHeight }, 12_345), never)
    assert.equal(signersOf(await at(1_000)).length, 4)
    const refused = isFault('bad-parameter', /more than 1000 below the proposed height: 999$/)
    await assert.rejects(at(999), refused)
    state.epochs['00'.repeat(32)] = { number: '7', startTime: '1', pChainHeight: '3' }
    assert.equal(
      signersOf(await aggregator.aggregateTransaction(new Uint8Array(32), never)).length,
      4,
    )
  })
})

void test('aggregation: where no validator of an L1 answers, the error names the node id to allow', async () => {
  const silent = { kind: 'silent' } as const
  const fromChain = messages[0]!.unsignedMessage
  const onChain = { message: fromChain }
  const options = { behaviours: [silent, silent, silent], timeoutMs: 2_400 }
  await withNetwork(options, async (network) => {
    network.state.chains[fromChain.slice(14, 78)] = '00'.repeat(32)
    const hint = new RegExp(
      `no answer: .*; nodes of a private L1 .* ours is ${network.identity.nodeId}$`,
    )
    await assert.rejects(aggregate(network, onChain), isFault('quorum-not-reached', hint))
    // Every validator answers for the P-Chain.
    const plain = /no answer: NodeID-\w+, NodeID-\w+, NodeID-\w+$/
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', plain))
    // One that speaks up, if only to refuse, shows that we are let in.
    network.validators[0]!.setBehaviour({ kind: 'refuse', code: -3 })
    const refused = /; refused with code -3 .refused.: NodeID-\w+$/
    const again = { ...onChain, quorumPercentage: 50 }
    await assert.rejects(aggregate(network, again), isFault('quorum-not-reached', refused))
  })
})

void test('aggregation: a caller who leaves is let go at once, and others are not disturbed', async () => {
  const slow = five.map(() => ({ kind: 'sign-slowly' }) as const)
  await withNetwork({ behaviours: slow }, async (network) => {
    const caller = new AbortController()
    const request = parseRequest({ message }, 12_345)
    const leaving = network.aggregator.aggregate(request, caller.signal)
    const staying = network.aggregator.aggregate(request, never)
    setTimeout(() => caller.abort(new Error('gone')), 50)
    await assert.rejects(leaving, /gone/)
    assert.equal(signersOf(await staying).length, 4)
    const alone = new AbortController()
    const other = parseRequest(
      { message: messages[0]!.unsignedMessage, quorumPercentage: 99 },
      12_345,
    )
    network.state.chains[messages[0]!.unsignedMessage.slice(14, 78)] = '00'.repeat(32)
    const left = network.aggregator.aggregate(other, alone.signal)
    setTimeout(() => alone.abort(new Error('gone too')), 50)
    await assert.rejects(left, /gone too/)
    assert.equal(network.aggregator.status().running, 0)
  })
})

void test('aggregation: an invalid request is refused before any validator is asked', async () => {
  await withNetwork({ behaviours: [] }, async (network) => {
    network.state.validators['00'.repeat(32)] = []
    const chain = messages[0]!.unsignedMessage
    const unknownChain = parseRequest({ message: chain }, 12_345)
    const call = (request: typeof unknownChain) => network.aggregator.aggregate(request, never)
    await assert.rejects(call(unknownChain), isFault('not-found', /validatedBy/))
    const unknownSubnet = parseRequest({ message, signingSubnetId: '09'.repeat(32) }, 12_345)
    await assert.rejects(call(unknownSubnet), isFault('not-found', /getSubnet/))
    const future = parseRequest({ message, pChainHeight: 101 }, 12_345)
    await assert.rejects(call(future), isFault('bad-parameter', /above the last accepted one: 101/))
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', /no validator can sign/))
    network.state.down = true
    await assert.rejects(call(future), isFault('node-unreachable', /does not answer/))
  })
})

void test('aggregation: a justification alone is enough to know the message', async () => {
  const subnet = '07'.repeat(32)
  await withNetwork({ behaviours: five }, async ({ state, aggregator }) => {
    state.validators[subnet] = []
    const ask = (justification: string): Promise<Uint8Array> =>
      aggregator.aggregate(parseRequest({ justification }, 12_345), never)
    await assert.rejects(ask(subnet), isFault('bad-parameter', /not converted/))
    const conversionID = '2cXvieruyJvripPCinMYJ2mzSQ45uwSWYemdLVUT3V7VAWEV3x'
    const converted = '08'.repeat(32)
    state.validators[converted] = []
    state.conversions[converted] = { conversionID, managerChainID: conversionID }
    const said = to0x(decodeSigned(await ask(converted)).message.payload)
    assert.match(
      said,
      /000000000000d460eb9f5309c5f54df0bdeec043c4f9a1e31e040c8e10059e58c7eebae29f81$/,
    )
    // The validator at index 1 of the vectors' subnet is not registered.
    const removed = '0a240a200102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f201001'
    const over = to0x(decodeSigned(await ask(removed)).message.payload)
    assert.match(over, /c1f5124b1177700ea2c0db6d9b1c0cfa370aa91149fa1d94920a1040f0ccd54f00$/)
  })
})

void test('aggregation: of nodes with one key any may answer, and together they are one signer', async () => {
  const validator = { secret: stakerKeys(0).secret }
  const refuse = { kind: 'refuse', code: 1 } as const
  const silent = { kind: 'silent' } as const
  await withNetwork({ behaviours: [refuse, silent, sign], validator }, async (network) => {
    assert.deepEqual(signersOf(await aggregate(network)), [0])
  })
  await withNetwork({ behaviours: [refuse, refuse], validator }, async (network) => {
    const names = network.validators
      .map(({ nodeId }) => nodeId)
      .toSorted()
      .join(' or ')
    const pattern = new RegExp(`refused with code 1 .refused.: ${names}$`)
    await assert.rejects(aggregate(network), isFault('quorum-not-reached', pattern))
  })
})

void test('aggregation: a signature seen only inside a sum is proven before it is used in another', async () => {
  await withNetwork({ behaviours: five, weights: [104, 103, 102, 101, 100] }, async (network) => {
    const [one, two] = network.validators
    assert.ok(one !== undefined && two !== undefined)
    const bytes = fromHex(message)
    const [a, b] = [0, 1].map((at) =>
      native.SecretKey.fromBytes(stakerKeys(at).secret).sign(bytes).toBytes(true),
    )
    assert.ok(a !== undefined && b !== undefined)
    // Each sends the other's: both are wrong, and the sum of all five is right.
    one.setBehaviour({ kind: 'answer', signature: b })
    two.setBehaviour({ kind: 'answer', signature: a })
    assert.equal(signersOf(await aggregate(network, { quorumPercentage: 100 })).length, 5)
    one.setBehaviour(sign)
    // Of the two only the heavier one is wanted now, and the one that was kept is wrong alone.
    two.setBehaviour({ kind: 'refuse', code: 1 })
    const signed = await aggregate(network, { quorumPercentage: 79 })
    assert.equal(signersOf(signed).length, 4)
    assert.deepEqual([one.requests(), two.requests()], [2, 2])
  })
})
