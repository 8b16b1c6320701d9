/** Blocks of P and X from peers: whole, in order, only true ones, and with whoever lies beside. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'

import { emptyId } from '../../src/codec/primary/ids.ts'
import { encodePeerMessage } from '../../src/codec/warp/peer-message.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { primaryStreams } from '../../src/indexing/primary/run/stream.ts'
import { defaultPeerLimits } from '../../src/peer/limits.ts'
import type { Session } from '../../src/peer/session.ts'
import { sourceLimits, streamSpecs } from '../../src/service/chain-specs.ts'
import { BlockPeers } from '../../src/source/peers/block-peers.ts'
import { type Electorate, TipVote } from '../../src/source/peers/tip-vote.ts'
import { Voters } from '../../src/source/peers/voters.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import {
  lies,
  noFiles,
  type OpenSource,
  openSource,
  readAll,
  startPeers,
  truthOf,
} from '../support/nodes/hostile-peers.ts'
import { realWorld, stakerKeys } from '../support/nodes/warp-network.ts'
import { startValidator } from '../support/nodes/warp-validator.ts'
import { manualClock } from '../support/processes/manual-clock.ts'
import { fileWorld } from '../support/services/primary-service.ts'

const truth = truthOf('local-one')
let draws = 0
const draw = (): number => (Math.sin(++draws) + 1) / 2.001
const network = await startPeers(truth, 6, draw)
after(network.close)

/** Both chains read from the peers as they are now. */
async function read(withinMs: number): Promise<readonly string[]> {
  const opened = openSource(truth, network)
  const signal = AbortSignal.timeout(withinMs)
  try {
    return await Promise.all([
      readAll(opened.source, truth.P, signal),
      readAll(opened.source, truth.X, signal),
    ])
  } finally {
    await opened.close()
  }
}

void test('peers: all blocks of both chains, with their proposers', async () => {
  assert.deepEqual(await read(60_000), ['live', 'live'])
})

for (const name of Object.keys(lies)) {
  void test(`peers: a lying one among honest ones is passed over: ${name}`, async () => {
    network.lies.fill(undefined)
    network.lies[1] = name
    assert.deepEqual(await read(60_000), ['live', 'live'])
  })
}

/** The connection to one of `opened`'s peers. */
async function connected({ peers }: OpenSource, nodeId: string): Promise<Session> {
  for (;;) {
    const ready = Promise.withResolvers<void>()
    const unwatch = peers.watch(ready.resolve)
    peers.want([nodeId], emptyId)
    const session = peers.session(nodeId)
    if (session !== undefined) return session
    await ready.promise
    unwatch()
  }
}

void test('peers: many requests at once end no connection', async (t) => {
  const items = [realWorld().random.bytes(2_000_000)]
  const peer = await startValidator({
    ...stakerKeys(0),
    networkId: truth.networkId,
    behaviour: { kind: 'sign' },
    blocks: ({ chainId, requestId }, { send }) => {
      const message = encodePeerMessage({ kind: 'ancestors', chainId, requestId, items })
      send({ kind: 'compressed', bytes: zstdCompressSync(message) })
    },
  })
  t.after(peer.close)
  const limits = { ...defaultPeerLimits, bytesPerSecond: 2 ** 20 }
  const opened = openSource(truth, { validators: [peer] }, { limits })
  t.after(opened.close)
  const session = await connected(opened, peer.nodeId)
  const question = { kind: 'get-ancestors', ids: [emptyId] } as const
  const all = Array.from({ length: 8 }, () => session.requestBlocks(emptyId, question))
  const counts = (await Promise.all(all)).map((answer) => answer?.length)
  assert.deepEqual(counts, Array(8).fill(1))
})

void test('peers: a block is accepted once four fifths of the stake say so', async (t) => {
  network.lies.fill('saysNothing')
  network.lies[0] = undefined
  const opened = openSource(truth, network)
  t.after(opened.close)
  const nodeIds = network.validators.map(({ nodeId }) => nodeId)
  await Promise.all(nodeIds.map((nodeId) => connected(opened, nodeId)))
  const drawn = async (rich: number): Promise<Electorate> => {
    const voters = new Voters({
      peers: opened.peers,
      bootstrappers: [],
      staked: async () =>
        nodeIds.map((nodeId, at) => ({ nodeId, weight: at === rich ? 900n : 1n })),
      world: { ...realWorld(), random: { ...realWorld().random, number: draw } },
    })
    return voters.get()
  }
  const tip = truth.P.idAt(truth.P.height)
  const vote = new TipVote(opened.peers, realWorld().clock, emptyId)
  assert.equal((await vote.accepted(await drawn(0), [tip])).length, 1)
  assert.equal((await vote.accepted(await drawn(1), [tip])).length, 0)
})

void test('peers: a peer gets one get-ancestors request at a time, at most one a second', async () => {
  const clock = manualClock(0)
  const sleep = async (ms: number): Promise<void> => {
    await nextTurn()
    clock.nowMs += ms
  }
  const requests = new Map<string, { from: number; until: number }[]>()
  const sessionOf = (nodeId: string): Partial<Session> => ({
    nodeId,
    requestBlocks: async () => {
      const question = { from: clock.nowMs, until: Number.POSITIVE_INFINITY }
      requests.set(nodeId, [...(requests.get(nodeId) ?? []), question])
      await sleep(nodeId === 'slow' ? 1_500 : 30)
      question.until = clock.nowMs
      return [new Uint8Array(1)]
    },
  })
  const nodeIds = ['slow', 'quick', 'other']
  const sessions = new Map(nodeIds.map((nodeId) => [nodeId, sessionOf(nodeId) as Session]))
  const peers = {
    session: (nodeId: string) => sessions.get(nodeId),
    want: () => undefined,
    trouble: () => undefined,
    ban: () => assert.fail('nobody misbehaves'),
    close: async () => undefined,
  }
  const blocks = new BlockPeers(peers, { ...clock, sleep })
  const wanted = { chainId: emptyId, kind: 'get-ancestors', id: emptyId, read: () => true } as const
  const { signal } = new AbortController()
  const askOn = async (): Promise<void> => {
    for (let at = 0; at < 10; at++) await blocks.request(() => nodeIds, wanted, signal)
  }
  await Promise.all([askOn(), askOn()])
  assert.equal([...requests.values()].flat().length, 20)
  for (const [nodeId, questions] of requests)
    for (const [at, { from }] of questions.entries()) {
      const before = questions[at - 1]
      if (before === undefined) continue
      assert.ok(from - before.from >= 1_000 && from >= before.until, `${nodeId} ${at}`)
    }
})

void test('peers: the X-Chain of a public network without a node is off, and says why', () => {
  const { signal } = new AbortController()
  const text = JSON.stringify({ networks: { mainnet: { primary: true, source: 'peers' } } })
  const file = { path: 'firn.yaml', text }
  const { config } = readConfig({ flags: {}, environment: {}, file })
  const [spec] = streamSpecs(config, [])
  assert.equal(spec?.kind, 'primary')
  const opened = openSource(truth, { validators: [] })
  const limits = sourceLimits(config)
  const openHost = (): never => assert.fail('nothing runs')
  const parts = { world: fileWorld, log: silentLog, limits, signal, openHost }
  const statuses = primaryStreams(spec, opened.source, parts).map(({ status }) => status())
  assert.deepEqual(
    statuses.map(({ stage, state }) => `${stage} ${state}`),
    ['P syncing', 'X off', 'C off', 'health live'],
  )
  assert.match(statuses[1]?.reason ?? '', /^its history before Cortina is not in blocks/)
})

const fetching = /^blocks \d+ to \d+ are being fetched from peers; the network is at 184$/

for (const spoolLimit of [2 ** 29, 20_000]) {
  void test(`peers: fetched blocks survive kills, in ${spoolLimit} bytes`, async () => {
    network.lies.fill('few')
    const files = noFiles()
    const written: string[] = []
    const stored = { height: 0 }
    let held = 0
    let most = 0
    for (let kills = 1; ; kills++) {
      const over = new AbortController()
      const write = async (path: string, bytes: Uint8Array): Promise<void> => {
        assert.match(opened.source.note?.('P') ?? '', fetching)
        held += bytes.length
        most = Math.max(most, held)
        written.push(path)
        await files.write(path, bytes)
        if (written.length === 6 * kills) over.abort()
      }
      const remove = async (path: string): Promise<void> => {
        held -= (await files.read(path))?.length ?? 0
        await files.remove(path)
      }
      const world = { ...realWorld(), files: { ...files, write, remove } }
      const opened = openSource(truth, network, { world, spoolLimit })
      const end = await readAll(opened.source, truth.P, over.signal, stored)
      await opened.close()
      if (end === 'live') break
    }
    assert.ok(written.length > 15)
    assert.ok(most < spoolLimit + 10_000, `${most} bytes`)
    // Nothing is fetched twice but what had no room.
    if (most < spoolLimit) assert.equal(new Set(written).size, written.length)
  })
}

void test('peers: blocks in the folder that are damaged, or of another history, are fetched again', async () => {
  network.lies.fill('few')
  const damages: ((packed: Uint8Array, low: number, high: number) => Uint8Array)[] = [
    (packed) => packed.map((byte) => byte ^ 1),
    () => new Uint8Array(),
    (_, low, high) => {
      const items = truth.other.P.containers(low, high + 1).toReversed()
      const place = { chainId: emptyId, requestId: 0 }
      return zstdCompressSync(encodePeerMessage({ kind: 'ancestors', ...place, items }))
    },
  ]
  for (const damage of damages) {
    const files = noFiles()
    let isDamaged = false
    const write = async (path: string, bytes: Uint8Array): Promise<void> => {
      const [low = 0, high = 0] = /(\d+)-(\d+)-/.exec(path)?.slice(1).map(Number) ?? []
      const isMeant = low < 90 && !isDamaged
      isDamaged ||= isMeant
      await files.write(path, isMeant ? damage(bytes, low, high) : bytes)
    }
    const opened = openSource(truth, network, {
      world: { ...realWorld(), files: { ...files, write } },
    })
    assert.equal(await readAll(opened.source, truth.P, AbortSignal.timeout(60_000)), 'live')
    await opened.close()
    assert.ok(isDamaged)
  }
})

void test('peers: a tip that contradicts what is stored is refused with source-mismatch', async (t) => {
  network.lies.fill(undefined)
  const stored = { validators: async () => [], blockId: async () => truth.other.P.idAt(7) }
  const opened = openSource(truth, network, { stored })
  t.after(opened.close)
  await assert.rejects(opened.source.headHeight('P', AbortSignal.timeout(60_000)), {
    code: 'source-mismatch',
    message: `peers accepted another block than was accepted before: P-Chain ${truth.P.height}`,
  })
})

void test('peers: one that contradicts the store is read again, and believed once it is right', async (t) => {
  const height = 50
  const blockId = async (_: string, at: number): Promise<Uint8Array | undefined> =>
    at > 0 && at <= height ? truth.P.idAt(at) : undefined
  const opened = openSource(truth, network, { stored: { validators: async () => [], blockId } })
  t.after(opened.close)
  const signal = AbortSignal.timeout(60_000)
  const read = async (): Promise<readonly unknown[]> => {
    await opened.source.headHeight('P', signal)
    return opened.source.blocks('P', { from: height + 1, until: height + 2 }, signal)
  }
  network.lies.fill('alternative')
  await assert.rejects(read(), { code: 'node-answer' })
  for (let again = 0; again < 2; again++) await assert.rejects(read(), { code: 'source-mismatch' })
  network.lies.fill(undefined)
  assert.equal((await read()).length, 1)
  assert.equal(await readAll(opened.source, truth.P, signal, { height }), 'live')
})

void test('peers: the note names an upgrade that most peers know and this version does not', async (t) => {
  network.lies.fill(undefined)
  const opened = openSource(truth, network, { newestUpgrade: 1_700_000_000 })
  t.after(opened.close)
  await opened.source.headHeight('P', AbortSignal.timeout(60_000))
  const words = /^this version does not know the network's upgrade of 20.*: update it before$/
  assert.match(opened.source.note?.('P') ?? '', words)
})
