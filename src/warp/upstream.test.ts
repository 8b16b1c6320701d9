import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { decodeSigned } from '../codec/warp/message.ts'
import { fromHex, toHex } from '../core/bytes.ts'
import { parseId } from '../core/cb58.ts'
import { Fault, type FaultCode } from '../core/fault.ts'
import type { HttpRequest, World } from '../core/world.ts'
import { silentLog } from '../telemetry/log.ts'
import { parseRequest } from './aggregation/request.ts'
import { openAggregator } from './open-aggregator.ts'

type SignedCases = {
  cases: {
    name: string
    signedMessage: string
    justification: string
    signingSubnetId: string
    pChainHeight: number
    validators: unknown
  }[]
}
const { cases }: SignedCases = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/recorded-signed-messages.json', import.meta.url),
    'utf8',
  ),
)
const [recorded] = cases
const never = new AbortController().signal

const isFault =
  (code: FaultCode, pattern = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, pattern)
    return true
  }

const answers: Record<string, unknown> = {
  'platform.getHeight': { height: '44' },
  'platform.getProposedHeight': { height: '44' },
  'platform.getValidatorsAt': recorded!.validators,
  'platform.validatedBy': { subnetID: recorded!.signingSubnetId },
}

/** A world in which a node answers as recorded, and a signature aggregator as `reply` says. */
function worldWith(reply: () => { status: number; text: string }): {
  world: World
  asked: unknown[]
} {
  const asked: unknown[] = []
  const stored = new Map<string, Uint8Array>()
  let draws = 1
  const request = async ({ url, body }: HttpRequest) => {
    const sent: { method?: string } = JSON.parse(String(body))
    if (url.endsWith('/aggregate-signatures')) {
      asked.push(sent)
      const { status, text } = reply()
      return { status, headers: {}, body: new TextEncoder().encode(text) }
    }
    const result = answers[sent.method ?? '']
    const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result })
    return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
  }
  const world = {
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => {} },
    random: {
      bytes: (size: number) => new Uint8Array(size).fill(draws++),
      number: () => 0,
    },
    transport: { request },
    files: {
      read: async (path: string) => stored.get(path),
      write: async (path: string, bytes: Uint8Array) => void stored.set(path, bytes),
      list: async () => [],
    },
  }
  return { world, asked }
}

const settings = {
  networkId: 12_345,
  nodeUrl: 'http://node.test',
  stakingKeyDir: 'staking',
  peers: [],
  allowPrivateIps: true,
  timeoutMs: 1_000,
  maxLookback: 1_000,
  aggregatorUrl: 'http://aggregator.test/',
}
const signed = recorded!.signedMessage
const unsigned = toHex(decodeSigned(fromHex(signed)).unsigned)
const request = parseRequest({ message: unsigned, pChainHeight: recorded!.pChainHeight }, 12_345)

void test('forwarding: the request as the aggregator reads it, its answer verified', async () => {
  const { world, asked } = worldWith(() => ({
    status: 200,
    text: JSON.stringify({ 'signed-message': signed.slice(2) }),
  }))
  const aggregator = await openAggregator(world, silentLog, settings)
  assert.equal(toHex(await aggregator.aggregate(request, never)), signed.slice(2))
  assert.deepEqual(asked, [
    {
      message: unsigned,
      justification: '',
      'signing-subnet-id': recorded!.signingSubnetId,
      'quorum-percentage': 67,
      'pchain-height': recorded!.pChainHeight,
    },
  ])
  assert.match(aggregator.status().nodeId, /^NodeID-/)
  await aggregator.close()
})

void test('forwarding: an answer that does not verify is not passed on', async () => {
  const bytes = fromHex(signed)
  const signers = bytes.length - 97
  const change = (at: number, to: number): string =>
    toHex(Uint8Array.from(bytes, (byte, index) => (index === at ? to : byte)))
  const others = cases.find(({ name }) => name.includes('on the C-Chain'))
  // One signer less; one more whom nobody knows; another message, forged and really signed; a bit
  // set that is none; cut; no hex.
  const wrong = [
    change(signers, bytes[signers]! & 7),
    change(signers, bytes[signers]! | 0x80),
    change(60, 9),
    others!.signedMessage,
    change(signers, 0),
    signed.slice(0, -2),
    'zz',
  ]
  for (const text of wrong) {
    const { world } = worldWith(() => ({
      status: 200,
      text: JSON.stringify({ 'signed-message': text }),
    }))
    const aggregator = await openAggregator(world, silentLog, settings)
    await assert.rejects(
      aggregator.aggregate(request, never),
      isFault('node-answer', /does not verify/),
    )
  }
})

void test('forwarding: less weight than was asked for is not passed on, though it verifies', async () => {
  const { world } = worldWith(() => ({
    status: 200,
    text: JSON.stringify({ 'signed-message': signed }),
  }))
  const aggregator = await openAggregator(world, silentLog, settings)
  // Four of five signed.
  const enough = await aggregator.aggregate({ ...request, quorum: 80 }, never)
  assert.equal(toHex(enough), signed.slice(2))
  await assert.rejects(
    aggregator.aggregate({ ...request, quorum: 81 }, never),
    isFault('node-answer', /does not verify/),
  )
})

void test('forwarding: its refusals keep their meaning', async () => {
  const cases: [number, string, FaultCode][] = [
    [500, '{"error":"failed to collect a threshold of signatures"}', 'quorum-not-reached'],
    [400, '{"error":"Invalid quorum number"}', 'bad-parameter'],
    [500, '{"error":"boom"}', 'node-answer'],
    [502, '<html>', 'node-answer'],
  ]
  for (const [status, text, code] of cases) {
    const { world } = worldWith(() => ({ status, text }))
    const aggregator = await openAggregator(world, silentLog, settings)
    await assert.rejects(aggregator.aggregate(request, never), isFault(code), text)
  }
})

void test('forwarding: a buffer is asked for first, and is no condition', async () => {
  const short = { status: 500, text: '{"error":"failed to connect to a threshold of stake"}' }
  const good = { status: 200, text: JSON.stringify({ 'signed-message': signed.slice(2) }) }
  const buffered = { ...request, buffer: 20 }
  const quorums = async (replies: { status: number; text: string }[]): Promise<unknown[]> => {
    const { world, asked } = worldWith(() => replies.shift() ?? { status: 500, text: '{}' })
    const aggregator = await openAggregator(world, silentLog, settings)
    assert.equal(toHex(await aggregator.aggregate(buffered, never)), signed.slice(2))
    return asked.map((sent) => Object(sent)['quorum-percentage'])
  }
  assert.deepEqual(await quorums([good]), [87])
  assert.deepEqual(await quorums([short, good]), [87, 67])
  const { world } = worldWith(() => short)
  const aggregator = await openAggregator(world, silentLog, settings)
  await assert.rejects(aggregator.aggregate(buffered, never), isFault('quorum-not-reached'))
})

void test('forwarding: what the aggregator would misread is not sent, and its silence is named', async () => {
  const { world, asked } = worldWith(() => {
    throw new Fault('node-unreachable', 'a node does not answer')
  })
  const aggregator = await openAggregator(world, silentLog, settings)
  await assert.rejects(
    aggregator.aggregate(request, never),
    isFault('node-unreachable', /the signature aggregator does not answer/),
  )
  const l1 = cases.find(({ name }) => name === 'registration asked of the P-Chain by the L1')
  const { unsigned: ofL1 } = decodeSigned(fromHex(l1!.signedMessage))
  answers['platform.validatedBy'] = { subnetID: l1!.signingSubnetId }
  try {
    const body = { message: toHex(ofL1), signingSubnetId: '00'.repeat(32), pChainHeight: 43 }
    const wrong = openAggregator(world, silentLog, settings)
    await assert.rejects(
      (await wrong).aggregate(parseRequest(body, 12_345), never),
      isFault('bad-parameter', /cannot ask the primary network/),
    )
  } finally {
    answers['platform.validatedBy'] = { subnetID: recorded!.signingSubnetId }
  }
  assert.equal(asked.length, 1)
})

void test('forwarding: callers with one request share the question', async () => {
  const { world, asked } = worldWith(() => ({
    status: 200,
    text: JSON.stringify({ 'signed-message': signed.slice(2) }),
  }))
  const aggregator = await openAggregator(world, silentLog, settings)
  const all = [1, 2, 3].map(() => aggregator.aggregate(request, never))
  assert.equal(new Set((await Promise.all(all)).map((bytes) => toHex(bytes))).size, 1)
  assert.equal(asked.length, 1)
})

void test('opening: tells its node id, and refuses peers that are not written as they must be', async () => {
  const { world } = worldWith(() => ({ status: 500, text: '' }))
  const events: unknown[] = []
  const log = {
    ...silentLog,
    info: (event: string, fields?: unknown) => void events.push([event, fields]),
  }
  const aggregator = await openAggregator(world, log, { ...settings, aggregatorUrl: '' })
  const { nodeId } = aggregator.status()
  assert.deepEqual(events, [['warp-identity', { nodeId, directory: 'staking' }]])
  assert.deepEqual(aggregator.status().peers, { connected: 0, connecting: 0, known: 0 })
  await aggregator.close()
  const bad = openAggregator(world, silentLog, { ...settings, peers: ['1.2.3.4:9651'] })
  await assert.rejects(bad, isFault('bad-text'))
  const again = await openAggregator(world, silentLog, settings)
  assert.equal(again.status().nodeId, nodeId)
  assert.ok(parseId(recorded!.signingSubnetId).length === 32)
})
