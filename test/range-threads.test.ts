/**
 * Ranges that several threads read side by side, in orders that are drawn: the store is that of a
 * process with one, whatever happens to the others.
 *
 * Threads run in this one, over ports that copy; a node replays a recorded chain.
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { MessageChannel, Worker } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { generator } from '../bench/evm-chain.ts'
import { faultOf } from '../src/core/fault.ts'
import type { World } from '../src/core/world.ts'
import { type OtherReader, RangeReaders } from '../src/indexing/evm/ranges/range-readers.ts'
import { ThreadReader } from '../src/indexing/evm/ranges/thread-reader.ts'
import type { BlocksPiece } from '../src/indexing/evm/read/block-piece.ts'
import { openEvmSource } from '../src/indexing/evm/read/open-source.ts'
import { ChainReader } from '../src/indexing/evm/read/read-chain.ts'
import { openChainHost } from '../src/indexing/evm/run/chain-host.ts'
import { runRangeReader } from '../src/indexing/run-range-reader.ts'
import type { ChainSpec, SourceLimits } from '../src/indexing/stream/chain-spec.ts'
import { limitsOfThread } from '../src/indexing/thread/limits-of-thread.ts'
import type { ClosingPort } from '../src/indexing/thread/port-call.ts'
import { SpareThread } from '../src/indexing/thread/spare-thread.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { createWaits } from '../src/telemetry/waits.ts'
import { mergeAll, segmentsOf } from './freeze-store.ts'
import { openReplayNode, type ReplayNode, replayTransport } from './replay-node.ts'
import { inlinePorts } from './simulation/inline-port.ts'
import { storeDigest } from './store-digest.ts'
import { virtualClock } from './virtual-clock.ts'

const usualLimits = {
  timeoutMs: 30_000,
  traceTimeoutMs: 60_000,
  maxInFlight: 16,
  maxReplyBytes: 33_554_432,
  bufferBytes: 33_554_432,
  checkEvery: 1,
}
/** Of the node, on a clock that does not wait. */
const latencyMs = 10
const key = 'fuji-test'
const freeze = { firn: 'test', rowsAtOnce: 1 }
/** Rows that say when, by whom and how they were written. */
const unequal = new Set(['lease', 'checkpoint'])
const digested = chainTables.filter(({ name }) => !unequal.has(name))

const orders = { 'chain-51001': [2, 4], 'chain-51002': [1, 2, 2, 4, 4] } as const

for (const chain of ['chain-51001', 'chain-51002'] as const) {
  void test(`${chain}: one, two and four threads in any order store the same`, async (t) => {
    const alone = await indexedAlone(t, chain)
    assert.equal(alone.byThreads, 0)
    assert.ok(alone.segments > 1, `segments: ${alone.segments}`)
    for (const [seed, workers] of orders[chain].entries()) {
      const together = await index(t, { chain, workers, seed })
      assert.deepEqual(together.digest, alone.digest)
      assert.equal(together.merged, alone.merged)
      assert.equal(together.byThreads > 0, workers > 1)
      assert.notDeepEqual(
        together.order,
        together.order.toSorted((a, b) => a - b),
      )
    }
  })
}

void test('traces beside it: are those of one thread', async (t) => {
  const alone = await index(t, { chain: 'chain-51002', traces: 'on' })
  const together = await index(t, { chain: 'chain-51002', traces: 'on', workers: 4, seed: 6 })
  assert.deepEqual(together.digest, alone.digest)
  assert.ok(together.byThreads > 0)
})

void test('threads share what a node may be asked at once', async (t) => {
  const { most } = await index(t, { chain: 'chain-51001', workers: 4, seed: 7, maxInFlight: 4 })
  assert.ok(most > 1 && most <= 4, `at once: ${most}`)
})

void test('a thread that ends while it reads: nothing is lost', async (t) => {
  const alone = await indexedAlone(t, 'chain-51002')
  for (const endsAfter of [0, 1]) {
    const ended = await index(t, { chain: 'chain-51002', workers: 2, endsAfter })
    assert.deepEqual(ended.digest, alone.digest)
    assert.equal(ended.merged, alone.merged)
    assert.equal(ended.byThreads, endsAfter)
    assert.deepEqual(ended.errors, ['thread has ended'])
  }
})

void test('a thread whose blocks are refused: the decoder reads them', async (t) => {
  const alone = await indexedAlone(t, 'chain-51002')
  const { digest, byThreads } = await index(t, {
    chain: 'chain-51002',
    workers: 2,
    lie: (result) => ({ ...result, gasUsed: '0x1' }),
  })
  assert.deepEqual(digest, alone.digest)
  assert.equal(byThreads, 0)
})

void test('a thread that cannot be started: is tried five times, with pauses', async () => {
  const clock = virtualClock()
  let started = 0
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const thread = new SpareThread({
    name: 'range-reader 1',
    start: () => {
      started++
      const { port1, port2 } = new MessageChannel()
      const code = `require('node:worker_threads').workerData.on('message', () => process.exit(1))`
      // It ends with its first question.
      void new Worker(code, { eval: true, workerData: port2, transferList: [port2] })
      return port1
    },
    failed: resolve,
    clock,
    log: silentLog,
    signal: new AbortController().signal,
  })
  for (let tries = 0; tries < 5; tries++) {
    while (!thread.takes(clock.monotonic())) await clock.sleep(100)
    await assert.rejects(thread.ask('read', {}), /thread ended/)
  }
  assert.equal(started, 5)
  assert.match(faultOf(await promise)?.message ?? '', /cannot be started: range-reader 1/)
  assert.ok(clock.elapsedMs() > 15_000, `${clock.elapsedMs()} ms`)
  assert.ok(!thread.takes(Number.MAX_SAFE_INTEGER))
})

void test('a thread that nobody asks: ends, and is started again', async () => {
  const clock = virtualClock()
  let [started, ended] = [0, 0]
  const stopping = new AbortController()
  const thread = new SpareThread({
    name: 'range-reader 1',
    start: () => {
      started++
      const [near, far] = inlinePorts()
      far.on('message', (message) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a question of `callerOver`
        far.postMessage({ id: (message as { id: number }).id, value: 'told' }, [])
      })
      far.once('close', () => ended++)
      return near
    },
    failed: assert.ifError,
    clock,
    log: silentLog,
    signal: stopping.signal,
  })
  assert.equal(await thread.ask('read', {}), 'told')
  await clock.sleep(20_000)
  assert.equal(await thread.ask('read', {}), 'told')
  await clock.sleep(20_000)
  assert.deepEqual([thread.isRunning, started, ended], [true, 1, 0])
  await clock.sleep(50_000)
  assert.deepEqual([thread.isRunning, started, ended], [false, 1, 1])
  assert.equal(await thread.ask('read', {}), 'told')
  stopping.abort()
  await clock.sleep(1)
  assert.deepEqual([started, ended], [2, 2])
})

void test('a thread that takes too long: is ended, and nobody waits for it', async () => {
  const clock = virtualClock()
  let started = 0
  const thread = new SpareThread({
    name: 'segment-maker 1',
    start: () => {
      started++
      const [near] = inlinePorts()
      return near
    },
    failed: assert.ifError,
    answerMs: 60_000,
    clock,
    log: silentLog,
    signal: new AbortController().signal,
  })
  await assert.rejects(thread.ask('make', {}), /thread ended: segment-maker 1/)
  assert.equal(clock.elapsedMs(), 60_000)
  assert.deepEqual([thread.isRunning, thread.takes(clock.monotonic()), started], [false, false, 1])
})

void test('an endpoint that lied: the threads do not ask it any more', async () => {
  const file = await recordingOf('chain-51002')
  const world = worldOf(await openReplayNode(file), { underWay: 0, most: 0 })
  const { clock } = world
  const stopping = new AbortController()
  const { signal } = stopping
  const spec = specOf('off')
  const parts = { key, timeoutMs: 30_000, clock, log: silentLog }
  const thread = new SpareThread({
    ...parts,
    name: 'range-reader 1',
    start: () => {
      const [near, port] = inlinePorts()
      void runRangeReader(threadOf(spec, { world, limits: usualLimits, workers: 2, port, signal }))
      return near
    },
    failed: assert.ifError,
    signal,
  })
  const reader = new ThreadReader({ ...parts, thread })
  const source = await openEvmSource(spec, usualLimits, { world, log: silentLog })
  const chain = await source.identity(signal)
  const piece = await reader.read(chain, { from: 1, until: 5 }, signal)
  assert.equal(piece?.until, 5)
  assert.ok(reader.window(0, clock.monotonic()) > 2)
  // The state of a genesis is in no block.
  assert.equal(await reader.read(chain, { from: 0, until: 1 }, signal), undefined)
  await assert.rejects(
    reader.read({ ...chain, chainId: 1 }, { from: 1, until: 5 }, signal),
    /nodes tell another chain/,
  )
  const [endpoint] = source.endpoints()
  assert.equal(piece.origin, endpoint?.name)
  assert.equal(reader.blame(piece.origin, 'it lied', 'distrust'), false)
  await assert.rejects(reader.read(chain, { from: 1, until: 5 }, signal), /it lied/)
  stopping.abort()
})

void test('others whose blocks hashes do not prove: are asked seldom, until one is proven', async () => {
  let [asked, isProven] = [0, false]
  const piece = { from: 0, until: 1 } as BlocksPiece
  const other: OtherReader = {
    window: () => 1,
    load: () => 0,
    read: async () => (++asked > 0 && isProven ? piece : undefined),
    blame: () => false,
    endpoints: () => [],
  }
  const readers = new RangeReaders({ others: [other], clock: virtualClock(), log: silentLog })
  readers.opened({ chainId: 1, genesisHash: '0x' })
  const { signal } = new AbortController()
  const read = async (count: number): Promise<number> => {
    const before = asked
    for (let at = 0; at < count; at++)
      await readers.read(
        { from: 1, until: 2, head: 1_000 },
        { window: 1, read: async () => piece },
        signal,
      )
    return asked - before
  }
  assert.equal(await read(8), 8)
  assert.equal(await read(80), 10)
  isProven = true
  assert.ok((await read(8)) >= 1)
  assert.equal(await read(8), 8)
})

type Run = {
  readonly chain: string
  readonly workers?: number
  /** Draws the order in which ranges are done; without it that in which they come. */
  readonly seed?: number
  readonly traces?: 'on' | 'off'
  /** `source.maxInFlight`; 16. */
  readonly maxInFlight?: number
  /** Answers after which a thread ends. */
  readonly endsAfter?: number
  /** Blocks as the node tells them to the threads. */
  readonly lie?: (block: object) => object
}

type Indexed = {
  readonly digest: Record<string, string>
  /** Name of the segment that all of the history becomes. */
  readonly merged: string | undefined
  readonly segments: number
  /** First heights of ranges as they were done. */
  readonly order: readonly number[]
  /** Ranges that threads read. */
  readonly byThreads: number
  /** Requests to the node under way at once. */
  readonly most: number
  readonly errors: readonly string[]
}

const storedAlone = new Map<string, Promise<Indexed>>()

/** The chain as a process with one thread stores its blocks: what others are compared with. */
function indexedAlone(t: TestContext, chain: string): Promise<Indexed> {
  const known = storedAlone.get(chain) ?? index(t, { chain })
  storedAlone.set(chain, known)
  return known
}

const recordings = new Map<string, Promise<Uint8Array>>()

/** A bundled recording. The same bytes each time: a node over them is prepared once. */
function recordingOf(chain: string): Promise<Uint8Array> {
  const known =
    recordings.get(chain) ?? readFile(new URL(`../demo/${chain}.firnrec`, import.meta.url))
  recordings.set(chain, known)
  return known
}

/** Indexes the whole chain into a new store: its blocks, and then its traces. */
async function index(t: TestContext, run: Run): Promise<Indexed> {
  const { chain, workers = 1, traces = 'off' } = run
  const limits = { ...usualLimits, maxInFlight: run.maxInFlight ?? usualLimits.maxInFlight }
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-threads-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = await recordingOf(chain)
  const node = await openReplayNode(file)
  const traffic = { underWay: 0, most: 0 }
  const spec = specOf(traces)
  const world = worldOf(node, traffic)
  const stopping = new AbortController()
  const { signal } = stopping
  const source = await openEvmSource(spec, limitsOfThread({ limits, workers }), {
    world,
    log: silentLog,
  })
  const store = { store: 'embedded', dataDir, ...(traces === 'off' ? { freeze } : {}) }
  const parts = { world, log: silentLog, store, limits, owner: 'test', signal }
  const host = await openChainHost(spec, await source.identity(signal), parts)
  const errors: string[] = []
  let byThreads = 0
  const log = { ...silentLog, error: (text: string) => void errors.push(text) }
  const threadWorld = run.lie === undefined ? world : worldOf(await liar(file, run.lie), traffic)
  const start = (): ClosingPort => {
    const [near, far] = inlinePorts()
    const port = ending(far, run.endsAfter ?? Number.POSITIVE_INFINITY, () => byThreads++)
    void runRangeReader(threadOf(spec, { world: threadWorld, limits, workers, port, signal }))
    return near
  }
  const { clock } = world
  const threads = Array.from({ length: workers - 1 }, (_, at) => {
    const name = `range-reader ${at + 1}`
    const failed = assert.ifError
    return new SpareThread({ name, start, failed, clock, log, signal })
  })
  const others = threads.map(
    (thread) =>
      new ThreadReader({
        thread,
        key,
        timeoutMs: 30_000,
        startBehind: 40,
        clock,
        log: silentLog,
      }),
  )
  const readers = new OrderedReaders({ others, clock, log: silentLog }, run.seed)
  const read = async (wanted: 'on' | 'off'): Promise<void> => {
    const live = new AbortController()
    const reader: ChainReader = new ChainReader({
      spec: { ...spec, traces: wanted },
      source,
      readers,
      writer: {
        begin: host.resume,
        blocks: host.blocks,
        traces: host.traces,
        skipTraces: host.skipTraces,
        transactions: host.transactions,
        cut: async (from) => void (await host.cut(from)),
      },
      world,
      log: silentLog,
      compress: (bytes) => zstdCompressSync(bytes),
      checkEvery: 1,
      limits: { bufferBytes: 33_554_432, batchBytes: 100_000 },
      changed: () => {
        const stages = reader.stages().slice(0, wanted === 'on' ? 2 : 1)
        if (stages.every(({ state }) => state === 'live')) live.abort()
      },
    })
    await reader.run(live.signal)
    assert.equal(reader.stages()[0]?.state, 'live')
  }
  await read('off')
  if (traces === 'on') await read('on')
  stopping.abort()
  await host.close()
  const { order } = readers
  const { most } = traffic
  const written = await openStore(store, key, chainTables, 'write')
  try {
    const segments = (await segmentsOf(written)).length
    await mergeAll(written, (all) => (all.length > 1 ? all : []))
    const [merged] = await segmentsOf(written)
    const digest = await storeDigest(written, digested)
    return { digest, merged: merged?.name, segments, order, most, errors, byThreads }
  } finally {
    await written.close()
  }
}

/** A thread that reads ranges, of as many in all, as this one runs it. */
function threadOf(
  spec: ChainSpec,
  of: {
    readonly world: World
    readonly limits: SourceLimits
    readonly workers: number
    readonly port: ClosingPort
    readonly signal: AbortSignal
  },
): Parameters<typeof runRangeReader>[0] {
  const { world, limits, workers, port, signal } = of
  const store = { store: 'embedded', dataDir: '' }
  return {
    data: {
      chains: [spec],
      streams: [],
      store,
      limits,
      workers,
      owner: 'test',
      keepEventsMs: 0,
      port,
    },
    world,
    log: silentLog,
    waits: createWaits(world.clock.monotonic, () => undefined),
    signal,
    stopped: new Promise(() => undefined),
    tell: () => undefined,
    startReader: () => assert.fail('a reader starts none'),
  }
}

function specOf(traces: 'on' | 'off'): ChainSpec {
  return {
    key,
    network: 'fuji',
    name: '',
    symbol: '',
    rpcUrls: ['http://node/'],
    traces,
    startHeight: 0,
    wrappedTokens: [],
    icmContracts: [],
  }
}

/** A world of one node, whose requests under way are counted. */
function worldOf(node: ReplayNode, traffic: { underWay: number; most: number }): World {
  const clock = virtualClock()
  const transport = replayTransport({ node }, clock)
  return {
    clock,
    random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
    transport: {
      request: async (request) => {
        traffic.most = Math.max(traffic.most, ++traffic.underWay)
        try {
          await clock.sleep(latencyMs, request.signal)
          return await transport.request(request)
        } finally {
          traffic.underWay--
        }
      },
    },
    files: { read: (path) => readFile(path), write: async () => {}, list: async () => [] },
  }
}

async function liar(file: Uint8Array, lie: (block: object) => object): Promise<ReplayNode> {
  const node = await openReplayNode(file)
  node.lie = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' &&
    params[1] === true &&
    typeof result === 'object' &&
    result !== null
      ? lie(result)
      : result
  return node
}

/** The port of a thread that ends in place of answer number `left`; `told` hears of ranges. */
function ending(port: ClosingPort, left: number, told: () => void): ClosingPort {
  return {
    ...port,
    postMessage: (value, transfer) => {
      if (left-- <= 0) {
        port.close()
        return
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a reply of `serveCalls`
      const { value: answer } = value as { readonly value?: { readonly piece?: unknown } }
      if (answer?.piece !== undefined) told()
      port.postMessage(value, transfer)
    },
  }
}

/** Readers whose ranges are done in an order that a seed draws. */
class OrderedReaders extends RangeReaders {
  /** First heights, as they were done. */
  readonly order: number[] = []
  readonly #random: (() => number) | undefined
  readonly #done: (() => void)[] = []
  #underWay = 0

  constructor(parts: ConstructorParameters<typeof RangeReaders>[0], seed: number | undefined) {
    super(parts)
    this.#random = seed === undefined ? undefined : generator(seed)
  }

  override async read(
    ...[range, own, signal]: Parameters<RangeReaders['read']>
  ): ReturnType<RangeReaders['read']> {
    this.#underWay++
    try {
      const piece = await super.read(range, own, signal)
      if (this.#random !== undefined)
        await new Promise<void>((resolve) => {
          this.#done.push(resolve)
          this.#look()
        })
      this.order.push(piece.from)
      return piece
    } finally {
      this.#underWay--
      // What follows from it begins first.
      setImmediate(() => this.#look())
    }
  }

  /** Lets one go once all that is under way has been read. */
  #look(): void {
    if (this.#random === undefined || this.#done.length < this.#underWay) return
    const [next] = this.#done.splice(Math.floor(this.#random() * this.#done.length), 1)
    next?.()
  }
}
