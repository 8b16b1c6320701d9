/**
 * Segments that others make for the thread that writes, several to a commit: the store is that of a thread
 * that makes them itself, whoever makes them and in whatever order they are done.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { generator } from '../../../bench/evm-chain.ts'
import type { BlockBatch } from '../../../src/codec/evm/columns.ts'
import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import { readConfig } from '../../../src/config/read-config.ts'
import { Fault } from '../../../src/core/fault.ts'
import type { Clock, HttpReply, Transport, World } from '../../../src/core/world.ts'
import { type MakeSegment, makeSegment } from '../../../src/indexing/evm/making/make-segment.ts'
import { makingThreads } from '../../../src/indexing/evm/making/making-thread.ts'
import { RemoteMaker } from '../../../src/indexing/evm/making/remote-maker.ts'
import { type OtherMaker, SegmentMakers } from '../../../src/indexing/evm/making/segment-makers.ts'
import { EvmIngest } from '../../../src/indexing/evm/run/evm-ingest.ts'
import { WaitingBlocks } from '../../../src/indexing/evm/run/waiting-blocks.ts'
import { toldBytes } from '../../../src/indexing/evm/tokens/told-bytes.ts'
import { openRollup } from '../../../src/rollup/chain-rollup.ts'
import { openRangeService, type RangeService } from '../../../src/service/range-service.ts'
import { version } from '../../../src/service/version.ts'
import { openRecording } from '../../../src/source/recording.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { iceOf } from '../../../src/store/ice/ice.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { evmTables } from '../../../src/store/schema/evm.ts'
import { metricsTables } from '../../../src/store/schema/metrics.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { openWorld } from '../../../src/world/world.ts'
import { mergeAll, segmentsOf } from '../../freeze-store.ts'
import { storeDigest } from '../../store-digest.ts'
import { onBothEngines } from '../../stores.ts'
import { systemClock } from '../../system-clock.ts'
import { virtualClock } from '../../virtual-clock.ts'

const usualBlocks = 10
const digested = [...evmTables, ...metricsTables]
const file = readFileSync(new URL('../../../demo/chain-51002.firnrec', import.meta.url))

onBothEngines(
  'segments made side by side, done in orders that are drawn: are those of one thread',
  [],
  async ({ location: { store } }) => {
    await withFolder(async (dataDir) => {
      const location = { store, dataDir, freeze: { firn: 'test' } }
      const alone = await indexedAlone()
      assert.ok(alone.segments > 8, `segments: ${alone.segments}`)
      for (const [at, together] of [3, 7].entries()) {
        const made: number[] = []
        const make = drawnOrder(together, alone.segments, { seed: at + 1, made })
        const beside = await indexed(location, `beside${together}`, { together, make })
        assert.deepEqual(beside, alone)
        assert.equal(made.length, alone.segments)
        assert.notDeepEqual(
          made,
          made.toSorted((a, b) => a - b),
        )
      }
    })
  },
)

void test('segments that threads make: are those of one thread', async () => {
  const world = openWorld()
  const over = new AbortController()
  try {
    await withFolder(async (dataDir) => {
      const location = { store: 'embedded', dataDir, freeze: { firn: 'test' } }
      const alone = await indexedAlone()
      const threads = makingThreads(2, {
        clock: world.clock,
        log: silentLog,
        signal: over.signal,
      })
      let byThreads = 0
      const counted = threads.map((thread): OtherMaker => ({
        ...thread,
        make: async (job) => {
          const name = await thread.make(job)
          byThreads++
          return name
        },
      }))
      const makers = new SegmentMakers(counted, { clock: world.clock, log: silentLog })
      assert.equal(makers.atOnce(), 2)
      const beside = await indexed(location, 'beside', { together: 3, make: makers.make })
      assert.deepEqual(beside, alone)
      assert.equal(byThreads, alone.segments)
    })
  } finally {
    over.abort()
    await world.close()
  }
})

void test('makers that fail: the thread that writes makes their segments', async () => {
  await withFolder(async (dataDir) => {
    const location = { store: 'embedded', dataDir, freeze: { firn: 'test' } }
    const alone = await indexedAlone()
    const fault = new Fault('node-unreachable', 'thread ended: segment-maker 1')
    const failures = [fault, new Error('out of memory')]
    let [tries, warnings] = [0, 0]
    const others = failures.map((failure): OtherMaker => ({
      window: () => 1,
      make: async ({ draft, ...job }) => {
        tries++
        // Half of a file is there already.
        await makeSegment({ ...job, draft })
        throw failure
      },
    }))
    const log = { ...silentLog, warn: () => void warnings++ }
    const { make } = new SegmentMakers(others, { clock: systemClock, log })
    assert.deepEqual(await indexed(location, 'beside', { together: 4, make }), alone)
    assert.deepEqual([tries, warnings], [alone.segments, alone.segments])
  })
})

void test('one that is left alone is asked for nothing, of others the one that is done first', async () => {
  const asked: string[] = []
  const done = Promise.withResolvers<string>()
  const maker = (name: string, window: number): OtherMaker => ({
    window: () => window,
    make: () => {
      asked.push(name)
      return done.promise
    },
  })
  const all = [maker('none', 0), maker('one', 1), maker('three', 3)]
  const makers = new SegmentMakers(all, { clock: systemClock, log: silentLog })
  assert.equal(makers.atOnce(), 4)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody looks at it
  const jobs = Array.from({ length: 4 }, () => makers.make({} as Parameters<MakeSegment>[0]))
  assert.deepEqual(asked, ['three', 'three', 'one', 'three'])
  done.resolve('name')
  assert.deepEqual(await Promise.all(jobs), ['name', 'name', 'name', 'name'])
  assert.equal(new SegmentMakers([], { clock: systemClock, log: silentLog }).atOnce(), 1)
})

void test('segments that another machine makes: are those of one thread, whatever comes back', async (t) => {
  const world = openWorld()
  t.after(world.close)
  const { url } = await machine(t, world)
  await withFolder(async (dataDir) => {
    const location = { store: 'embedded', dataDir, freeze: { firn: version } }
    const alone = await indexed(location, 'alone', { together: 1, blocks: 40 })
    const through = async (
      name: string,
      change: (reply: HttpReply) => HttpReply = (reply) => reply,
      options: { readonly token?: string; readonly url?: string } = {},
    ): Promise<{ readonly used: number; readonly asked: number }> => {
      let [used, asked] = [0, 0]
      const request: Transport['request'] = async (sent) => {
        asked++
        return change(await world.transport.request(sent))
      }
      const clock = virtualClock()
      const parts = {
        world: { ...world, clock, transport: { request } },
        token: 'secret',
        ...options,
      }
      const remote = new RemoteMaker(options.url ?? url, parts)
      const other: OtherMaker = {
        window: (now) => remote.window(now),
        make: async (job) => {
          const made = await remote.make(job)
          used++
          return made
        },
      }
      const { make } = new SegmentMakers([other], { clock, log: silentLog })
      // A machine that failed is left alone for a minute at most.
      const patient: MakeSegment = async (job) => {
        await clock.sleep(60_000)
        return make(job)
      }
      assert.deepEqual(
        await indexed(location, name, { together: 1, make: patient, blocks: 40 }),
        alone,
      )
      return { used, asked }
    }
    const all = alone.segments
    assert.deepEqual(await through('whole'), { used: all, asked: all })
    const cut = (reply: HttpReply): HttpReply => ({ ...reply, body: reply.body.slice(0, -1) })
    assert.deepEqual(await through('cut', cut), { used: 0, asked: all })
    const flipped = (reply: HttpReply): HttpReply => {
      const body = new Uint8Array(reply.body)
      body[9] = (body[9] ?? 0) ^ 1
      return { ...reply, body }
    }
    assert.deepEqual(await through('flipped', flipped), { used: 0, asked: all })
    let first: HttpReply | undefined
    const same = (reply: HttpReply): HttpReply => (first ??= reply)
    assert.deepEqual(await through('same', same), { used: 1, asked: all })
    const stranger = await through('stranger', undefined, { token: 'another' })
    assert.deepEqual(stranger, { used: 0, asked: all })
    const gone = await through('gone', undefined, { url: 'http://127.0.0.1:1' })
    assert.deepEqual(gone, { used: 0, asked: all })
  })
})

void test('another machine: jobs that it refuses', async (t) => {
  const world = openWorld()
  t.after(world.close)
  const { url } = await machine(t, world)
  const post = async (body: Uint8Array): Promise<string> => {
    const headers = { authorization: 'Bearer secret' }
    const reply = await fetch(`${url}/v1/segments`, {
      method: 'POST',
      headers,
      body: Buffer.from(body),
    })
    return `${reply.status} ${await reply.text()}`
  }
  const bytes = toldBytes({ numbered: {}, gathered: [], subject: { firn: '0.0.1' } })
  assert.equal(await post(bytes), `409 this is Firn ${version}`)
  assert.equal(await post(bytes.slice(0, -1)), '400 a segment to make was changed on its way')
  assert.equal(await post(new Uint8Array()), '400 a segment to make was changed on its way')
  assert.equal((await fetch(`${url}/v1/segments`)).status, 401)
  const headers = { authorization: 'Bearer secret' }
  assert.equal((await fetch(`${url}/v1/segments`, { headers })).status, 405)
})

onBothEngines(
  'no room for one segment of several: nothing is stored, and all of it later',
  [],
  async ({ location: { store } }) => {
    await withFolder(async (dataDir) => {
      const location = { store, dataDir, freeze: { firn: 'test' } }
      const alone = await indexedAlone()
      const database = await openStore(location, 'full', chainTables, 'write')
      try {
        let isFull = true
        const ingest = await ingestOf(database, async (job) => {
          const name = await makeSegment(job)
          if (isFull && job.subject.from > 0) throw new Fault('store-full', 'no room')
          return name
        })
        const batches = (await batchesOfChain()).map((batch) => ({ batch }))
        await assert.rejects(ingest.batches(batches.slice(0, 3)), /no room/)
        assert.deepEqual(await segmentsOf(database), [])
        assert.deepEqual(readdirSync(join(dataDir, 'segments', 'full')), [])
        isFull = false
        await ingest.batches(batches.slice(0, 3))
        await ingest.batches(batches.slice(3))
        assert.deepEqual(await stateOf(database), alone)
      } finally {
        await database.close()
      }
    })
  },
)

void test('batches that wait: are written together, as many as are made at once', async () => {
  const groups: number[][] = []
  const first = Promise.withResolvers<void>()
  let broken = 0
  const waiting = new WaitingBlocks({
    room: async () => {},
    joins: ({ batch }) => batch.from % 10 !== 0,
    most: () => 3,
    write: async (work) => {
      await first.promise
      if (broken-- === 1) throw new Fault('lease-lost', 'another process writes')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is used of an ingest
      const ingest = {
        batches: async (taken: readonly { readonly batch: BlockBatch }[]) => {
          groups.push(taken.map(({ batch }) => batch.from))
        },
      } as unknown as EvmIngest
      // A disk without room: the same work again.
      await work(ingest)
      await work(ingest)
    },
  })
  const add = (from: number): Promise<void> => waiting.add({ batch: { from } as BlockBatch })
  const all = Promise.all([1, 2, 3, 4, 10, 20, 21, 22].map(add))
  let isSettled = false
  const settled = waiting.settled().then(() => (isSettled = true))
  assert.equal(isSettled, false)
  first.resolve()
  await all
  const twice = [[1, 2, 3], [4], [10], [20], [21, 22]].flatMap((group) => [group, group])
  assert.deepEqual(groups, twice)
  await settled
  broken = 1
  const results = await Promise.allSettled([5, 6, 7, 8].map(add))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(groups.slice(twice.length), [[8], [8]])
})

void test('where the rows end is told once nothing waits to be written', async () => {
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const waiting = new WaitingBlocks({
    room: async () => {},
    joins: () => false,
    most: () => 1,
    write: async (work) => {
      await gate.promise
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is used of an ingest
      await work({ batches: async () => void order.push('written') } as unknown as EvmIngest)
    },
  })
  const added = [1, 2].map((from) => waiting.add({ batch: { from } as BlockBatch }))
  const told = waiting.settled().then(() => order.push('told'))
  gate.resolve()
  await Promise.all([...added, told])
  assert.deepEqual(order, ['written', 'written', 'told'])
})

void test('a segment that takes long: the transaction says that it lives', async () => {
  await withFolder(async (dataDir) => {
    const location = { store: 'embedded', dataDir, freeze: { firn: 'test' } }
    const database = await openStore(location, 'slow', chainTables, 'write')
    const clock = virtualClock()
    let signs = 0
    const counted: Database = {
      ...database,
      transaction: (work, how) =>
        database.transaction((writer) => {
          const get: typeof writer.get = (question, parameters) => {
            if (question.sqlite === 'select 1') signs++
            return writer.get(question, parameters)
          }
          return work({ ...writer, get })
        }, how),
    }
    try {
      const slow: MakeSegment = async (job) => {
        await clock.sleep(5_200)
        return makeSegment(job)
      }
      const [batch] = await batchesOfChain()
      assert.ok(batch !== undefined)
      const ingest = await ingestOf(counted, slow, { clock, store: database })
      await ingest.batches([{ batch }])
      assert.equal((await segmentsOf(database)).length, 1)
      assert.equal(signs, 10)
    } finally {
      await database.close()
    }
  })
})

/** A way of making that waits for all jobs of a commit, and does them in a drawn order. */
function drawnOrder(
  together: number,
  total: number,
  { seed, made }: { readonly seed: number; readonly made: number[] },
): MakeSegment {
  const draw = generator(seed)
  const waiting: (() => Promise<void>)[] = []
  return (job) => {
    const done = Promise.withResolvers<string>()
    waiting.push(async () => {
      made.push(job.subject.from)
      done.resolve(await makeSegment(job))
    })
    const release = async (): Promise<void> => {
      while (waiting.length > 0) {
        const [next] = waiting.splice(Math.floor(draw() * waiting.length), 1)
        await next?.()
      }
    }
    if (waiting.length === Math.min(together, total - made.length)) void release()
    return done.promise
  }
}

type Indexed = {
  readonly digest: Record<string, string>
  readonly merged: string | undefined
  readonly segments: number
}

/** Indexes the recorded chain into a new store, so many batches to a commit. */
async function indexed(
  location: StoreLocation,
  name: string,
  {
    together,
    make,
    blocks = usualBlocks,
  }: { readonly together: number; readonly make?: MakeSegment; readonly blocks?: number },
): Promise<Indexed> {
  const database = await openStore(location, name, chainTables, 'write')
  try {
    const ingest = await ingestOf(database, make)
    const batches = (await batchesOfChain(blocks)).map((batch) => ({ batch }))
    for (let at = 0; at < batches.length; at += together)
      await ingest.batches(batches.slice(at, at + together))
    return await stateOf(database)
  } finally {
    await database.close()
  }
}

/** The chain as one thread indexes it into an embedded store, which is read once. */
function indexedAlone(): Promise<Indexed> {
  known.alone ??= withFolder((dataDir) =>
    indexed({ store: 'embedded', dataDir, freeze: { firn: version } }, 'alone', { together: 1 }),
  )
  return known.alone
}
const known: { alone?: Promise<Indexed> } = {}

async function stateOf(database: Database): Promise<Indexed> {
  const segments = (await segmentsOf(database)).length
  const digest = await storeDigest(database, digested)
  await mergeAll(database, (all) => (all.length > 1 ? all : []))
  const [merged] = await segmentsOf(database)
  return { digest, merged: merged?.name, segments }
}

async function ingestOf(
  database: Database,
  make?: MakeSegment,
  { clock, store }: { readonly clock: Clock; readonly store: Database } = {
    clock: systemClock,
    store: database,
  },
): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', clock)
  const ice = iceOf(store)
  assert.ok(lease !== undefined && ice !== undefined)
  const subject = { store: 'one', genesisHash: '', firn: version }
  const made = make === undefined ? {} : { make }
  const freezing = { ice, subject, leastRows: 1, mostRowsBefore: 1_000, ...made }
  return new EvmIngest({ database, lease, clock, openRollup, freezing })
}

async function batchesOfChain(blocks = usualBlocks): Promise<BlockBatch[]> {
  const recording = openRecording(file)
  const { signal } = new AbortController()
  const { until } = recording.heights
  const batches: BlockBatch[] = []
  for (let from = 0; from < until; from += blocks)
    batches.push(
      await recording.blocks(
        { from, until: Math.min(from + blocks, until) },
        (raw) => decodeBlocks(from, raw, zstdCompressSync),
        signal,
      ),
    )
  return batches
}

/** A process that makes segments for others. Its chain has no node: making needs none. */
async function machine(t: TestContext, world: World): Promise<RangeService> {
  const text = `chains: [{ name: test, rpcUrls: ['http://127.0.0.1:1'] }]`
  const flags = { 'reader.port': '0', 'reader.token': 'secret' }
  const { config } = readConfig({ flags, environment: {}, file: { path: 'firn.yaml', text } })
  const running = await openRangeService(config, { world, log: silentLog })
  t.after(running.stop)
  return running
}

async function withFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-making-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
