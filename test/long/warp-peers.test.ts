import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { fromHex } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { parseRequest, type RequestBody } from '../../src/warp/aggregation/request.ts'
import {
  type NetworkOptions,
  quickLimits,
  stakerKeys,
  startNetwork,
  type TestNetwork,
  until,
} from '../support/nodes/warp-network.ts'
import {
  type Behaviour,
  claimOf,
  startValidator,
  type Validator,
} from '../support/nodes/warp-validator.ts'

type Messages = { messages: { name: string; unsignedMessage: string }[] }
const { messages }: Messages = JSON.parse(
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

const countOf = (signed: Uint8Array): number =>
  decodeBitSet(decodeSigned(signed).signature.signers).length

const sign = { kind: 'sign' } as const
const infinity = Uint8Array.from({ length: 96 }, (_, at) => (at === 0 ? 0xc0 : 0))

/** Behaviour of one validator, the words about it, and whether it is left alone from then on. */
const misbehaviours: [string, Behaviour, RegExp, 'banned' | 'kept'][] = [
  ['refuses for now', { kind: 'refuse', code: 11 }, /refused with code 11/, 'kept'],
  ['refuses for good', { kind: 'refuse', code: 1 }, /refused with code 1 /, 'kept'],
  ['serves validators only', { kind: 'refuse', code: -3 }, /refused with code -3/, 'kept'],
  [
    'says nothing with a signature',
    { kind: 'answer', signature: new Uint8Array() },
    /without a signature/,
    'kept',
  ],
  [
    'answers garbage',
    { kind: 'answer', signature: new Uint8Array(96).fill(7) },
    /wrong signature/,
    'banned',
  ],
  [
    'answers 95 bytes',
    { kind: 'answer', signature: new Uint8Array(95).fill(1) },
    /wrong signature/,
    'banned',
  ],
  ['answers infinity', { kind: 'answer', signature: infinity }, /wrong signature/, 'banned'],
  [
    'signs with another key',
    { kind: 'sign-with', secret: fromHex(`01${'02'.repeat(31)}`) },
    /wrong signature/,
    'banned',
  ],
  ['is silent', { kind: 'silent' }, /no answer/, 'kept'],
  ['closes at a request', { kind: 'drop' }, /not (connected|asked)/, 'kept'],
  ['answers what nobody can read', { kind: 'unreadable' }, /no answer/, 'kept'],
  ['babbles', { kind: 'babble' }, /left alone \(peer sends messages that cannot be read/, 'banned'],
  ['answers a zip bomb', { kind: 'bomb' }, /left alone \(compressed message/, 'banned'],
  ['answers a frame too long', { kind: 'oversize' }, /left alone \(frame is longer/, 'banned'],
  [
    'lets an answer trickle',
    { kind: 'trickle' },
    /left alone \(peer lets a message trickle/,
    'banned',
  ],
  ['floods', { kind: 'flood' }, /left alone \(peer sends too much/, 'banned'],
  ['pongs without ping', { kind: 'pong' }, /left alone \(pong without ping/, 'banned'],
  ['greets twice', { kind: 'greet-twice' }, /left alone \(second handshake/, 'banned'],
  ['pings with an impossible uptime', { kind: 'bad-uptime' }, /left alone \(ping with/, 'banned'],
  [
    'is of another network',
    { kind: 'other-network' },
    /left alone \(peer is of another network/,
    'banned',
  ],
  ['never greets', { kind: 'mute' }, /not connected/, 'kept'],
  ['greets and closes', { kind: 'close-greeted' }, /not connected/, 'kept'],
  ['does not read', { kind: 'deaf' }, /not connected/, 'kept'],
]

for (const [name, behaviour, pattern, fate] of misbehaviours) {
  void test(`hostile peer: a peer that ${name} is lost, and nothing else`, async () => {
    const behaviours = [sign, sign, behaviour, sign, sign]
    await withNetwork({ behaviours, timeoutMs: 3_000 }, async (network) => {
      assert.equal(countOf(await aggregate(network)), 4)
      const bad = network.validators[2]!
      await assert.rejects(aggregate(network, { quorumPercentage: 100 }), (error) => {
        assert.ok(error instanceof Fault && error.code === 'quorum-not-reached', String(error))
        const blame = error.message.split('; ').find((part) => part.includes(bad.nodeId))
        assert.match(blame ?? error.message, pattern)
        assert.doesNotMatch(error.message, new RegExp(network.validators[0]!.nodeId))
        return true
      })
      const others = network.validators.filter((validator) => validator !== bad)
      for (const { connections } of others) assert.equal(connections(), 1)
      assert.ok(others.every(({ nodeId }) => network.pool.session(nodeId) !== undefined))
      if (fate === 'banned') assert.equal(bad.connections(), 1)
    })
  })
}

void test('peer: a validator whose key was another at an old height is not left alone for it', async () => {
  const secret = fromHex(`01${'02'.repeat(31)}`)
  const behaviours = [sign, sign, { kind: 'sign-with', secret } as const]
  await withNetwork({ behaviours, timeoutMs: 3_000 }, async ({ validators, aggregator, pool }) => {
    const changed = validators[2]!
    const ask = (pChainHeight: number): Promise<Uint8Array> => {
      const body = { message, quorumPercentage: 100, pChainHeight }
      return aggregator.aggregate(parseRequest(body, 12_345), never)
    }
    const wrong = new RegExp(`answered with a wrong signature: ${changed.nodeId}`)
    await assert.rejects(ask(89), wrong)
    assert.ok(pool.session(changed.nodeId)?.ready)
    await assert.rejects(ask(90), wrong)
    assert.match(pool.offence(changed.nodeId) ?? '', /wrong signature/)
  })
})

void test('peer: unusual but correct answers count', async () => {
  const kinds = ['sign-compressed', 'sign-bytewise', 'sign-slowly', 'ping-often', 'sign'] as const
  const behaviours = kinds.map((kind) => ({ kind }))
  await withNetwork({ behaviours }, async (network) => {
    assert.equal(countOf(await aggregate(network, { quorumPercentage: 100 })), 5)
  })
})

void test('peer: presents the version of who it talks to, so an upgrade of the network needs no new release', async () => {
  const validator = { version: [1, 15, 3] } as const
  await withNetwork({ behaviours: [sign, sign], validator }, async (network) => {
    assert.equal(countOf(await aggregate(network)), 2)
    const { major, minor, patch } = network.validators[0]!.handshakes[0]!.client
    assert.deepEqual([major, minor, patch], [1, 15, 3])
    assert.equal(network.validators[0]!.handshakes[0]!.upgradeTime, 1_761_750_000n)
  })
})

void test('peer: the handshake lists the requested subnets, the last first, and never the primary network', async () => {
  await withNetwork({ behaviours: [sign] }, async (network) => {
    network.state.validators['05'.repeat(32)] = network.state.validators['00'.repeat(32)]!
    await aggregate(network, { signingSubnetId: '05'.repeat(32) })
    assert.deepEqual(
      network.validators[0]!.handshakes[0]!.tracked.map((id) => Buffer.from(id).toString('hex')),
      ['05'.repeat(32)],
    )
    assert.equal(network.validators[0]!.handshakes[0]!.allSubnets, true)
  })
})

void test('peer: comes back to a node that dropped it', async () => {
  await withNetwork({ behaviours: [sign, { kind: 'drop' }], timeoutMs: 4_000 }, async (network) => {
    const pending = aggregate(network, { quorumPercentage: 100 })
    // Dropped at its first request, it is asked again on a second connection.
    await until(() => network.validators[1]!.connections() >= 2)
    network.validators[1]!.setBehaviour(sign)
    assert.equal(countOf(await pending), 2)
    assert.ok(network.validators[1]!.requests() > 0)
  })
})

void test('peer: an unused connection is closed, and made again when needed', async () => {
  const limits = { ...quickLimits, idleMs: 100 }
  await withNetwork({ behaviours: [sign, sign], limits }, async (network) => {
    await aggregate(network)
    await until(() => network.aggregator.status().peers.connected === 0)
    assert.equal(countOf(await aggregate(network, { quorumPercentage: 99 })), 2)
  })
})

void test('peer: whose pings are answered, no peer counts as silent', async () => {
  const limits = { ...quickLimits, pingMs: 50, silenceMs: 150, retryMs: 60_000 }
  await withNetwork({ behaviours: [sign, { kind: 'silent' }], limits }, async (network) => {
    await aggregate(network, { quorumPercentage: 50 })
    // Longer than silence is borne: both answer pings, however little else there is to say.
    const several = (2 * limits.silenceMs) / limits.pingMs
    await until(() => network.validators.every(({ pings }) => pings() >= several))
    assert.equal(network.aggregator.status().peers.connected, 2)
    for (const { connections } of network.validators) assert.equal(connections(), 1)
  })
})

void test('discovery: one configured peer names the others, whose signed addresses are used', async () => {
  const others: Validator[] = []
  for (let at = 0; at < 4; at++)
    others.push(await startValidator({ ...stakerKeys(at), behaviour: sign }))
  const forged = {
    ...claimOf(stakerKeys(3), others[3]!.port),
    port: others[0]!.port,
    timestamp: 1_800_000_000n,
  }
  const claims = others.map(({ port }, at) => claimOf(stakerKeys(at), port))
  const gossip = [...claims.slice(0, 3), forged]
  const named = await startValidator({ ...stakerKeys(4), behaviour: sign, gossip })
  try {
    await withNetwork(
      {
        behaviours: [],
        listsPeers: false,
        timeoutMs: 4_000,
        configured: () => [`${named.nodeId}@127.0.0.1:${named.port}`],
      },
      async (network) => {
        network.state.validators['00'.repeat(32)] = [...others, named].map(
          ({ nodeId, publicKey }) => ({
            nodeId,
            publicKey: `0x${Buffer.from(publicKey).toString('hex')}`,
            weight: '100',
          }),
        )
        assert.equal(countOf(await aggregate(network, { quorumPercentage: 80 })), 4)
        const pattern = new RegExp(`not connected: ${others[3]!.nodeId}`)
        await assert.rejects(aggregate(network, { quorumPercentage: 100 }), pattern)
        assert.equal(others[3]!.connections(), 0, 'a forged claim is not followed')
      },
    )
  } finally {
    for (const validator of [...others, named]) await validator.close()
  }
})

void test('discovery: built-in nodes name the others only where our node knows no peer', async () => {
  const others: Validator[] = []
  for (let at = 0; at < 3; at++)
    others.push(await startValidator({ ...stakerKeys(at), behaviour: sign }))
  const gossip = others.map((other, at) => claimOf(stakerKeys(at), other.port))
  const builtIn = await startValidator({ ...stakerKeys(4), behaviour: sign, gossip })
  const bootstrappers = (): string[] => [`${builtIn.nodeId}@127.0.0.1:${builtIn.port}`]
  const listed = others.map(({ nodeId, publicKey }) => {
    return { nodeId, publicKey: `0x${Buffer.from(publicKey).toString('hex')}`, weight: '100' }
  })
  try {
    await withNetwork({ behaviours: [], bootstrappers }, async (network) => {
      network.state.validators['00'.repeat(32)] = listed
      network.state.peers = others.map(({ nodeId, port }) => {
        return { nodeID: nodeId, publicIP: `127.0.0.1:${port}` }
      })
      assert.equal(countOf(await aggregate(network)), 3)
      assert.equal(builtIn.connections(), 0)
    })
    await withNetwork({ behaviours: [], bootstrappers }, async (network) => {
      network.state.validators['00'.repeat(32)] = listed
      assert.equal(countOf(await aggregate(network)), 3)
      assert.equal(builtIn.connections(), 1)
      assert.equal(builtIn.requests(), 0, 'it is no validator')
    })
  } finally {
    for (const validator of [...others, builtIn]) await validator.close()
  }
})

void test('peer: another node at the address is not who we meant', async () => {
  await withNetwork({ behaviours: [sign, sign], timeoutMs: 3_000 }, async (network) => {
    const [first, second] = network.validators
    network.state.peers = [
      { nodeID: first!.nodeId, publicIP: `127.0.0.1:${second!.port}` },
      { nodeID: second!.nodeId, publicIP: `127.0.0.1:${second!.port}` },
    ]
    const pattern = new RegExp(`not connected: ${first!.nodeId}`)
    await assert.rejects(aggregate(network, { quorumPercentage: 100 }), pattern)
    assert.equal(first!.connections(), 0)
  })
})
