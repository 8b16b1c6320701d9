/**
 * A chain's store of every release is converted at start, format and history, where no node answers: its
 * answers are those of a new store, whose history never was in tables of an older version.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { Fault } from '../src/core/fault.ts'
import type { World } from '../src/core/world.ts'
import { type ConversionAtStart, convertAtStart } from '../src/indexing/evm/convert-at-start.ts'
import { runDecoder } from '../src/indexing/run/run-decoder.ts'
import { runWriter } from '../src/indexing/run/run-writer.ts'
import type { ThreadNews } from '../src/indexing/run/status-board.ts'
import type { ChainSpec } from '../src/indexing/stream/chain-spec.ts'
import type { Converting } from '../src/indexing/stream/stage.ts'
import type { WorkerThread } from '../src/indexing/thread/worker-thread.ts'
import { statement } from '../src/store/engine/database.ts'
import { migrations } from '../src/store/engine/format.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { address, evmTables, transfer } from '../src/store/schema/evm.ts'
import { metricsTables } from '../src/store/schema/metrics.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { checkStore } from '../src/store/sums/check-store.ts'
import type { Log } from '../src/telemetry/log.ts'
import { createWaits } from '../src/telemetry/waits.ts'
import { segmentFiles, segmentsOf } from './freeze-store.ts'
import {
  keptBlocks,
  keptFile,
  type KeptPage,
  readOn,
  releasesFolder,
  restoreKept,
  serveKept,
  wholeChain,
} from './released.ts'
import { newDatabase } from './shared-postgres.ts'
import { inlinePorts } from './simulation/inline-port.ts'
import { storeDigest } from './store-digest.ts'
import { virtualClock } from './virtual-clock.ts'

const digested = [...evmTables, ...metricsTables]
const heightsPerSegment = 5
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

for (const version of readdirSync(releasesFolder))
  for (const engine of ['sqlite', 'postgres'] as const) convertsStores(version, engine)

function convertsStores(version: string, engine: 'sqlite' | 'postgres'): void {
  void test(`conversion: history of ${version} moves into segments without a node (${engine})`, async () => {
    const old = await keptStore(version, engine)
    const { lines } = await runWithoutNode(old)
    assert.deepEqual(lines, [
      'history is converted',
      // Of blocks and of their traces; so many segments are left then.
      ...[4, 3, 2, 1, 0].flatMap((left) => [`history frozen ${left}`, `history frozen ${left}`]),
      'history was converted',
    ])
    const again: string[] = []
    const log = logTo(again)
    const parts = { key: 'chain', store: old, owner: 'test', world: { clock: virtualClock() }, log }
    await convertAtStart(parts).stream.run(new AbortController().signal)
    assert.deepEqual(again, [], 'once')
    await isAsNew(version, old)
  })

  void test(`conversion: a store of ${version} without sums is given them first (${engine})`, async () => {
    const old = await keptStore(version, engine)
    const store = await openStore(old, 'chain', chainTables, 'write')
    await store.transaction((writer) => writer.run(statement('delete from range_sum')))
    await store.close()
    const { lines } = await runWithoutNode(old)
    assert.equal(lines[0], 'sums of rows are made')
    assert.equal(lines.at(-1), 'history was converted')
    await isAsNew(version, old)
  })
}

void test('conversion: the status tells heights and share, and it ends after the segment under way', async () => {
  const old = await keptStore('0.1.0', 'sqlite')
  const told: (Converting | undefined)[] = []
  const begin = (heard: (event: string) => void): ConversionAtStart => {
    const log = logTo([], heard)
    return convertAtStart({
      key: 'chain',
      store: old,
      owner: 'test',
      world: { clock: virtualClock() },
      log,
    })
  }
  const { signal } = new AbortController()
  let ended: Promise<void> | undefined
  const first = begin((event) => {
    told.push(first.stream.status().converting)
    if (event === 'history frozen') ended ??= first.end()
  })
  await first.stream.run(signal)
  await ended
  const at = (height: number): Converting => {
    return { from: 0, height, target: 24, share: (height + 1) / 25 }
  }
  // It begins; blocks are frozen, and their traces.
  assert.deepEqual(told.splice(0), [at(-1), at(-1), at(-1)])
  const second = begin(() => told.push(second.stream.status().converting))
  await second.stream.run(signal)
  const steps = [4, 9, 14, 19].flatMap((height) => [at(height), at(height)])
  assert.deepEqual(told, [at(4), ...steps, undefined])
})

void test('conversion: a full disk holds it up, and it goes on when there is room', async () => {
  const old = await keptStore('0.1.0', 'sqlite')
  let commits = 0
  const around: StoreLocation['around'] = async (open) => {
    const database = await open()
    const full = new Fault('store-full', 'no room')
    return {
      ...database,
      transaction: async (work, how) =>
        database.transaction(async (writer) => {
          const done = await work(writer)
          // The lease and two segments are written.
          if (++commits === 4) throw full
          return done
        }, how),
    }
  }
  const { lines } = await runWithoutNode({ ...old, around })
  const frozen = [4, 3, 2, 1, 0].flatMap((left) => [
    `history frozen ${left}`,
    `history frozen ${left}`,
  ])
  const begin = 'history is converted'
  const tries = [begin, ...frozen.slice(0, 4), 'history was not frozen', begin, ...frozen.slice(4)]
  assert.deepEqual(lines, [...tries, 'history was converted'])
  await isAsNew('0.1.0', old)
})

void test('conversion: the format is converted before the history, where no node answers', async () => {
  const old = await keptStore('0.1.0', 'sqlite')
  const statements = [statement('alter table address add column trial integer')]
  const later = [...migrations, { name: 'trial', tables: [address, transfer], statements }]
  const { lines } = await runWithoutNode({ ...old, migrations: later })
  assert.deepEqual(lines.slice(0, 2), ['store is converted', 'history is converted'])
  assert.equal(lines.at(-1), 'history was converted')
})

void test('conversion: a store of a newer format is refused in one sentence, where no node answers', async () => {
  const old = await keptStore('0.1.0', 'sqlite')
  const store = await openStore(old, 'chain', chainTables, 'write')
  await store.close()
  const { lines, reason } = await runWithoutNode({ ...old, migrations: [] })
  assert.deepEqual(lines, ['store cannot be used'])
  assert.equal(reason, 'store chain has a format newer than 1: 2')
})

/** Asserts that a store has the answers and rows of a new one, now and after the rest of the chain. */
async function isAsNew(version: string, old: StoreLocation): Promise<void> {
  const fresh = { store: 'embedded', dataDir: newFolder() }
  await readOn(fresh, wholeChain(), keptBlocks)
  const store = await openStore(old, 'chain', chainTables, 'read')
  const other = await openStore(fresh, 'chain', chainTables, 'read')
  assert.deepEqual(
    (await segmentsOf(store)).map(({ until }) => until),
    [5, 10, 15, 20, 25],
  )
  assert.deepEqual(await store.all(statement('select count(*) from tx', { rowsOnly: true })), [[0]])
  assert.deepEqual(
    readdirSync(join(old.dataDir, 'segments', 'chain')).toSorted(),
    await segmentFiles(store),
  )
  const services = [await serveKept(store), await serveKept(other)] as const
  const pages: KeptPage[] = JSON.parse(Buffer.from(keptFile(version, 'pages.json')).toString())
  for (const { path, token, next } of pages) {
    const [one, two] = [await services[0].get(path), await services[1].get(path)]
    // A token is sealed anew with every answer.
    const { nextPageToken: _one, ...body } = one.body
    const { nextPageToken: _two, ...wanted } = two.body
    assert.deepEqual(body, wanted, path)
    const on = await services[0].get(`${path}&pageToken=${token}`)
    for (const [name, value] of Object.entries(next))
      if (name !== 'nextPageToken') assert.deepEqual(on.body[name], value, `${path} ${name}`)
  }
  for (const service of services) await service.close()
  await other.close()
  await store.close()
  assert.deepEqual(await digestOf(old), await digestOf(fresh))
  for (const location of [old, fresh])
    await readOn(location, wholeChain(), wholeChain().heights.until)
  assert.deepEqual(await digestOf(old), await digestOf(fresh))
}

async function digestOf(location: StoreLocation): Promise<Record<string, string>> {
  const store = await openStore(location, 'chain', chainTables, 'read')
  const { signal } = new AbortController()
  assert.deepEqual(await checkStore(store, chainTables, { signal }), [])
  const digest = await storeDigest(store, digested)
  await store.close()
  return digest
}

/** What a run told. */
type Told = {
  /** Events of the log that are of stores. */
  readonly lines: readonly string[]
  /** Why the store cannot be used. */
  readonly reason?: string
}

/** Indexes the store `chain` until it is converted or refused, with both threads in this one. */
async function runWithoutNode(store: StoreLocation): Promise<Told> {
  const lines: string[] = []
  let reason: string | undefined
  const tell = ({ stages }: ThreadNews): void => {
    const freeze = stages.find(({ stage }) => stage === 'freeze')
    reason = freeze?.reason ?? reason
  }
  const clock = virtualClock()
  const stopping = new AbortController()
  const { signal } = stopping
  const world: World = {
    clock,
    random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
    transport: {
      request: () => Promise.reject(new Fault('node-unreachable', 'connection refused')),
    },
    files: { read: async () => undefined, write: async () => {}, list: async () => [] },
  }
  const done = Promise.withResolvers<void>()
  const log = logTo(lines, (event) => {
    if (event === 'history was converted' || event === 'store cannot be used') done.resolve()
  })
  const limits = {
    timeoutMs: 1_000,
    traceTimeoutMs: 1_000,
    maxInFlight: 1,
    maxReplyBytes: 1_000_000,
    bufferBytes: 1_000_000,
    checkEvery: 1,
  }
  const thread = (port: WorkerThread['data']['port']): WorkerThread => ({
    data: {
      chains: [chain],
      streams: [],
      store,
      limits,
      workers: 1,
      owner: 'test',
      keepEventsMs: 86_400_000,
      port,
    },
    world,
    log,
    waits: createWaits(clock.monotonic, () => undefined),
    signal,
    stopped: new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    tell,
    startReader: () => assert.fail('nothing is read'),
  })
  const [one, other] = inlinePorts()
  const running = [runWriter(thread(other)), runDecoder(thread(one))]
  await done.promise
  // The status is told four times a second.
  await clock.sleep(1_000)
  stopping.abort()
  one.close()
  await Promise.all(running)
  return { lines, ...(reason === undefined ? {} : { reason }) }
}

/** A log that keeps what is said of stores in `lines`. */
function logTo(lines: string[], heard: (event: string) => void = () => {}): Log {
  const note: Log['info'] = (event, { left } = {}) => {
    if (/store|history|sums/.test(event))
      lines.push(typeof left === 'number' ? `${event} ${left}` : event)
    heard(event)
  }
  const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }
  return log
}

const chain: ChainSpec = {
  key: 'chain',
  network: 'fuji',
  name: 'Chain',
  symbol: '',
  rpcUrls: ['http://127.0.0.1:1'],
  traces: 'auto',
  startHeight: 0,
  wrappedTokens: [],
  icmContracts: [],
}

/** A copy of the chain's store of a version, in a deployment that freezes. */
async function keptStore(version: string, engine: 'sqlite' | 'postgres'): Promise<StoreLocation> {
  const dataDir = newFolder()
  const freeze = { firn: 'test', heightsPerSegment }
  if (engine === 'postgres') {
    const store = await newDatabase()
    await restoreKept(version, store)
    return { store, dataDir, freeze }
  }
  writeFileSync(join(dataDir, 'chain.sqlite'), keptFile(version, 'chain.sqlite'))
  return { store: 'embedded', dataDir, freeze }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-converted-'))
  folders.push(folder)
  return folder
}
