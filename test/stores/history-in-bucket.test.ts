/**
 * History in a bucket: what is frozen, merged and swept there stays whole whatever becomes of requests, and a disk that
 * has nothing of it answers as one that has all.
 */

import assert from 'node:assert/strict'
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { Fault, type FaultCode } from '../../src/core/fault.ts'
import type { Clock } from '../../src/core/world.ts'
import { recount } from '../../src/indexing/evm/write/recount.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { checkSegments } from '../../src/store/history/check-segments.ts'
import { freezeUntil, thawFrom } from '../../src/store/history/freeze.ts'
import { type ManifestSegment, namePlace } from '../../src/store/history/manifest.ts'
import { identityName } from '../../src/store/history/segment-bytes.ts'
import {
  type BucketHistory,
  type CacheOutcome,
  SegmentCache,
} from '../../src/store/history/segment-cache.ts'
import { ownSchema } from '../../src/store/history/segment-schema.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freshFolder, until } from '../support/processes/firn-process.ts'
import { stillClock } from '../support/stores/demo-store.ts'
import { freezeAt, mergeAll, segmentFiles, segmentsOf } from '../support/stores/freeze-store.ts'
import {
  bucketOf,
  type ObjectStorage,
  startStorage,
  type StorageFault,
} from '../support/stores/object-storage.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { newFolder } from '../support/stores/stores.ts'

const chain = 51_002
const name = `evm-${chain}`
const filling = demoFilling(50, chain)
const digested = evmTables.filter(({ freezes }) => freezes !== undefined)
const schema = ownSchema('blocks')
const pieces = [20, 40, 60, 80, 100]
const many = Array.from({ length: 12 }, (_, at) => 12 * (at + 1))
const day = 86_400_000

const newestBelow = statement(
  'select pos from evm_transaction where pos < ? order by pos desc limit ?',
  { over: 'newest' },
)

const whole = await digestInTables()

void test('bucket: frozen and merged segments are there before the store names them, and read the same', async (t) => {
  const { store, storage, folder } = await opened(t)
  await freezeAt(store, pieces)
  assert.deepEqual(storedFiles(storage), [...(await segmentFiles(store)), identityName].toSorted())
  await mergeAll(store, (segments) => segments.slice(0, 3))
  for (const file of await segmentFiles(store)) assert.ok(storedFiles(storage).includes(file), file)
  assert.deepEqual(await storeDigest(store, digested), whole)
  rmSync(join(folder, name), { recursive: true })
  assert.deepEqual(await storeDigest(store, digested), whole)
  assert.deepEqual(await checkSegments(store, { progress: () => undefined, fetches: true }), [])
})

void test('bucket: merged files have at most their bytes, few stay open, and all rows are there', async (t) => {
  // Two or three of the pieces fit.
  const limits = { fileBytes: 300_000, mostOpen: 2 }
  const { store, folder } = await opened(t, limits)
  await freezeAt(store, many)
  const before = await segmentsOf(store)
  await mergeAll(store)
  const merged = await segmentsOf(store)
  assert.ok(merged.length < before.length && merged.length > 2, `${merged.length} files`)
  for (const { tier, bytes = Number.POSITIVE_INFINITY, name: file } of merged) {
    assert.ok(tier === 0 || bytes <= limits.fileBytes, `${bytes} bytes`)
    assert.equal(bytes, statSync(join(folder, name, `${file}.sqlite`)).size)
  }
  assert.deepEqual(await storeDigest(store, digested), whole)
  const address = statement('select count(*) from transfer where pos >= 0', { over: 'sum' })
  assert.ok(((await store.get(address))?.[0] ?? 0) > 0)
  const open = readdirSync('/proc/self/fd').filter((each) => linkOf(each).startsWith(folder))
  assert.equal(open.length, limits.mostOpen)
})

const faults: readonly StorageFault[] = [
  'cut before',
  'cut after',
  'cut in the middle',
  'slow down',
  'skewed',
]
for (const fault of faults)
  void test(`bucket: every third request meets: ${fault}`, async (t) => {
    const { store, storage, folder } = await opened(t)
    let requests = 0
    storage.fault = () => (requests++ % 3 === 0 ? fault : undefined)
    await freezeAt(store, pieces)
    await mergeAll(store, (segments) => segments.slice(0, 2))
    for (const file of await segmentFiles(store))
      assert.ok(storedFiles(storage).includes(file), file)
    rmSync(join(folder, name), { recursive: true })
    assert.deepEqual(await storeDigest(store, digested), whole)
  })

void test('bucket: while it is gone history stays in tables, and freezes when it is back', async (t) => {
  const { store, storage } = await opened(t)
  await freezeAt(store, [20])
  storage.fault = () => 'denied'
  await assert.rejects(freezeAt(store, [40]), isFault('store-failed'))
  assert.deepEqual(
    (await segmentsOf(store)).map(({ until }) => until),
    [20],
  )
  assert.deepEqual(await storeDigest(store, digested), whole)
  storage.fault = () => undefined
  await freezeAt(store, [40])
  assert.deepEqual(await storeDigest(store, digested), whole)
})

void test('bucket: a sweep takes what no manifest named for a day, and nothing that is named', async (t) => {
  const { store, storage } = await opened(t)
  await freezeAt(store, pieces)
  await mergeAll(store, (segments) => segments.slice(0, 3))
  const named = [...(await segmentFiles(store)), identityName].toSorted()
  const all = storedFiles(storage)
  assert.ok(all.length > named.length)
  const history = store.history
  assert.ok(history !== undefined)
  const sweep = async (nowMs: number): Promise<void> => {
    if (await history.folder.hasOverdue(store, nowMs))
      await store.transaction((writer) => history.folder.removeOverdue(writer))
  }
  await sweep(0)
  await sweep(day - 1)
  assert.deepEqual(storedFiles(storage), all)
  await sweep(3 * day)
  assert.deepEqual(storedFiles(storage), named)
})

void test('bucket: one of another store, or an empty one, is refused before anything is written', async (t) => {
  const { store, storage } = await opened(t)
  await freezeAt(store, [20])
  await store.close()
  const key = `firn/${name}/${identityName}`
  storage.files.set(key, { bytes: Buffer.from('another'), storedMs: 0 })
  const again = await reopened(t, storage)
  await assert.rejects(
    freezeAt(again, [40]),
    /bucket is not the one that the store was written with/,
  )
})

void test('bucket: a store never takes the place of another one, sweeps or removes its files', async (t) => {
  const { store, storage } = await opened(t)
  await store.transaction(namePlace)
  await freezeAt(store, [20])
  const kept = storedFiles(storage)
  const dataDir = await newFolder(filling)
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const other = await openStore(locationOf(storage, dataDir), name, chainTables, 'write')
  t.after(() => other.close())
  const { history } = other
  assert.ok(history !== undefined)
  await history.folder.removeAll(await history.manifest(other))
  await other.transaction(namePlace)
  const place = `history/firn/${name}/`
  await assert.rejects(freezeAt(other, [20]), {
    code: 'store-failed',
    message: `bucket has the history of another store, which stays as it is; set index.store to another one, or remove what nobody uses: ${place}`,
  })
  await sweepAfterDays(other)
  await assert.rejects(history.folder.removeAll(await history.manifest(other)), /not the one/)
  assert.deepEqual(storedFiles(storage), kept)
  assert.deepEqual(await storeDigest(other, digested), whole)
  assert.deepEqual(await storeDigest(store, digested), whole)
})

void test('bucket: what a store left that was killed before its first commit of a segment is its own', async (t) => {
  const { store, storage } = await opened(t)
  await store.transaction(namePlace)
  await assert.rejects(
    store.transaction(async (writer) => {
      assert.ok(store.history !== undefined)
      await freezeUntil({ writer, history: store.history, recount }, { blocks: 20 })
      throw new Error('killed')
    }),
    /killed/,
  )
  assert.equal(storedFiles(storage).length, 2)
  await store.close()
  const again = await reopened(t, storage)
  await again.transaction(namePlace)
  await freezeAt(again, [40])
  await sweepAfterDays(again)
  assert.deepEqual(storedFiles(storage), [...(await segmentFiles(again)), identityName].toSorted())
  assert.deepEqual(await storeDigest(again, digested), whole)
})

void test('bucket: its check and readiness report a file that is gone or altered there, other pages are served', async (t) => {
  const { store, storage, folder } = await opened(t)
  await freezeAt(store, pieces)
  const [first, second] = await segmentsOf(store)
  assert.ok(first !== undefined && second !== undefined)
  const keyOf = (segment: ManifestSegment): string => `firn/${name}/${segment.name}.sqlite`
  const kept = new Map(storage.files)
  storage.files.delete(keyOf(first))
  const bytes = Uint8Array.from(storage.files.get(keyOf(second))?.bytes ?? [])
  bytes[9_000] = 1 ^ Number(bytes[9_000])
  storage.files.set(keyOf(second), { bytes, storedMs: Date.now() })
  rmSync(join(folder, name), { recursive: true })
  const damaged = await checkSegments(store, { progress: () => undefined, fetches: true })
  assert.deepEqual(
    damaged.map((each) => each.name).toSorted(),
    [first.name, second.name].toSorted(),
  )
  await assert.rejects(storeDigest(store, digested))
  const [problem] = (await store.history?.problems(store)) ?? []
  assert.match(problem ?? '', /bucket|segment/)
  // A copy puts either back.
  const copies = await freshFolder(t)
  for (const segment of [first, second]) {
    const copy = join(copies, segment.name)
    writeFileSync(copy, kept.get(keyOf(segment))?.bytes ?? '')
    await store.history?.adopt(copy, segment.name)
  }
  rmSync(join(folder, name), { recursive: true })
  assert.deepEqual(await storeDigest(store, digested), whole)
})

void test('bucket: while a page waits for a file, the next one of its list is fetched', async (t) => {
  const { store, storage, folder } = await opened(t)
  await freezeAt(store, pieces)
  const files = (await segmentsOf(store)).filter(({ stage }) => stage === 'blocks')
  rmSync(join(folder, name), { recursive: true })
  storage.requests.length = 0
  const other = await reopened(t, storage)
  assert.equal((await other.all(newestBelow, [100 * placesPerBlock, 2])).length, 2)
  const isFetched = ({ name: of }: ManifestSegment): boolean =>
    storage.requests.includes(`GET firn/${name}/${of}.sqlite`)
  await until('the next file is fetched', async () => files.slice(-2).every(isFetched))
  assert.equal(files.filter(isFetched).length, 2)
})

void test('cache: a file comes once for all who need it', async (t) => {
  const { cache, storage, counted, first, keyOf } = await filled(t)
  assert.equal(cache.isHere(first.name), false)
  await Promise.all([cache.need(first, schema), cache.need(first, schema)])
  assert.deepEqual(
    storage.requests.filter((request) => request.startsWith('GET')),
    [`GET ${keyOf(first)}`],
  )
  assert.equal(cache.isHere(first.name), true)
  assert.deepEqual(counted, ['fetched', 'found'])
})

void test('cache: a file that comes with a byte changed, or cut short, leaves nothing, and comes again', async (t) => {
  const { cache, storage, first, folder } = await filled(t)
  for (const fault of ['wrong bytes', 'cut in the middle'] as const) {
    storage.fault = (request) => (request.startsWith('GET') ? fault : undefined)
    await assert.rejects(cache.need(first, schema))
    assert.deepEqual(readdirSync(join(folder, name)), [])
    assert.match(cache.problem?.why ?? '', /segment|fetched/)
  }
})

void test('cache: a file larger than the whole cache is fetched, and kept alone', async (t) => {
  const { cache, first, second, folder } = await filled(t, { maxBytes: 1_024 })
  await cache.need(first, schema)
  assert.equal(cache.isHere(first.name), true)
  await cache.need(second, schema)
  assert.deepEqual(readdirSync(join(folder, name)), [`${second.name}.sqlite`])
})

void test('cache: a bucket that is away is tried again after a pause, which grows', async (t) => {
  const clock = steppedClock()
  const { cache, storage, first, counted } = await filled(t, { clock })
  storage.fault = () => 'denied'
  const requestsMade = async (): Promise<number> => {
    storage.requests.length = 0
    await assert.rejects(cache.need(first, schema), isFault('not-ready'))
    return storage.requests.length
  }
  assert.ok((await requestsMade()) > 0)
  assert.equal(await requestsMade(), 0)
  clock.pass(1_000)
  assert.ok((await requestsMade()) > 0)
  clock.pass(1_000)
  assert.equal(await requestsMade(), 0)
  assert.deepEqual(counted, ['missed', 'missed'])
})

void test('cache: a file that could not be had comes once its pause is over, though nobody requests it', async (t) => {
  const clock = steppedClock()
  const { cache, storage, first } = await filled(t, { clock })
  storage.fault = () => 'denied'
  await assert.rejects(cache.need(first, schema), isFault('not-ready'))
  assert.equal(cache.problem?.name, first.name)
  assert.match(cache.problem.why, /refuses with 403 /)
  storage.fault = () => undefined
  cache.tryAgain()
  await assert.rejects(cache.need(first, schema), isFault('not-ready'))
  clock.pass(1_000)
  cache.tryAgain()
  await until('the file is here', async () => cache.problem === undefined)
  assert.equal(cache.isHere(first.name), true)
})

void test('cache: files left by a killed process are removed, files being written stay', async (t) => {
  const { cache, first, folder } = await filled(t)
  await cache.need(first, schema)
  cache.remove(first.name)
  const own = join(folder, name)
  for (const [file, hours] of Object.entries({ 'old.part': 2, 'young.part': 0 })) {
    const seconds = Date.now() / 1_000 - hours * 3_600
    writeFileSync(join(own, file), 'half')
    utimesSync(join(own, file), seconds, seconds)
  }
  await cache.need(first, schema)
  assert.deepEqual(readdirSync(own).toSorted(), [`${first.name}.sqlite`, 'young.part'].toSorted())
})

/** Sweeps as a process does that runs for days. */
async function sweepAfterDays({ history, ...store }: Database): Promise<void> {
  assert.ok(history !== undefined)
  for (const nowMs of [0, 3 * day])
    if (await history.folder.hasOverdue(store, nowMs))
      await store.transaction((writer) => history.folder.removeOverdue(writer))
}

type Opened = { readonly store: Database; readonly storage: ObjectStorage; readonly folder: string }

type FileLimits = Partial<Pick<BucketHistory, 'fileBytes' | 'mostOpen'>>

/** Where an open file of this process lies; nothing of what is no file, or was closed meanwhile. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(join('/proc/self/fd', descriptor))
  } catch {
    return ''
  }
}

/** The demo chain in a store of SQLite whose history goes into an empty bucket. */
async function opened(t: TestContext, limits: FileLimits = {}): Promise<Opened> {
  const storage = await startStorage()
  t.after(storage.close)
  const dataDir = await newFolder(filling)
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const folder = join(dataDir, 'cache')
  const store = await openStore(locationOf(storage, dataDir, limits), name, chainTables, 'write')
  t.after(() => store.close())
  dataDirOf.set(storage, dataDir)
  return { store, storage, folder }
}

const dataDirOf = new WeakMap<ObjectStorage, string>()

async function reopened(t: TestContext, storage: ObjectStorage): Promise<Database> {
  const dataDir = dataDirOf.get(storage)
  assert.ok(dataDir !== undefined)
  const store = await openStore(locationOf(storage, dataDir), name, chainTables, 'write')
  t.after(() => store.close())
  return store
}

function locationOf(
  storage: ObjectStorage,
  dataDir: string,
  limits: FileLimits = {},
): StoreLocation {
  const folder = join(dataDir, 'cache')
  const bucket = bucketOf(storage, { folder, ...limits })
  return { store: 'embedded', dataDir, segments: folder, bucket, freeze: {} }
}

type Filled = {
  readonly cache: SegmentCache
  readonly storage: ObjectStorage
  readonly folder: string
  readonly first: ManifestSegment
  readonly second: ManifestSegment
  readonly counted: CacheOutcome[]
  readonly keyOf: (segment: ManifestSegment) => string
}

/** An empty cache beside a bucket with two segments. */
async function filled(
  t: TestContext,
  of: { readonly maxBytes?: number; readonly clock?: Clock } = {},
): Promise<Filled> {
  const { store, storage } = await opened(t)
  await freezeAt(store, [50, 100])
  const [first, second] = await segmentsOf(store)
  assert.ok(first !== undefined && second !== undefined)
  storage.requests.length = 0
  const folder = await freshFolder(t)
  const counted: CacheOutcome[] = []
  const outcomes: readonly string[] = [
    'found',
    'fetched',
    'missed',
    'removed',
  ] satisfies CacheOutcome[]
  const bucket = bucketOf(storage, {
    folder,
    ...of,
    count: (what) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of them
      if (outcomes.includes(what)) counted.push(what as CacheOutcome)
    },
  })
  const cache = new SegmentCache(bucket, name)
  const keyOf = (segment: ManifestSegment): string => `firn/${name}/${segment.name}.sqlite`
  return { cache, storage, folder, first, second, counted, keyOf }
}

async function digestInTables(): Promise<Record<string, string>> {
  const dataDir = await newFolder(filling)
  const store = await openStore({ store: 'embedded', dataDir }, name, chainTables, 'read')
  try {
    return await storeDigest(store, digested)
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Names of the files of the store in the bucket. */
function storedFiles({ files }: ObjectStorage): string[] {
  return [...files.keys()].map((key) => key.slice(`firn/${name}/`.length)).toSorted()
}

/** A clock that stands still until the test lets time pass. */
function steppedClock(): Clock & { readonly pass: (ms: number) => void } {
  let time = 0
  const sleepers: { readonly until: number; readonly wake: () => void }[] = []
  return {
    now: () => stillClock.now() + time,
    monotonic: () => time,
    // Pauses between attempts take no time; what waits for something has a signal.
    sleep: (ms, signal) =>
      signal === undefined
        ? Promise.resolve()
        : new Promise((wake) => sleepers.push({ until: time + ms, wake })),
    pass: (ms) => {
      time += ms
      for (const { until, wake } of sleepers) if (until <= time) wake()
    },
  }
}

function isFault(code: FaultCode): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code
}

void test('bucket: with a damaged local copy, history is still merged, thawed and checked', async (t) => {
  const { store, storage, folder } = await opened(t)
  await freezeAt(store, pieces)
  const spoil = async (): Promise<void> => {
    for (const segment of (await segmentsOf(store)).slice(0, 2)) {
      const path = join(folder, name, `${segment.name}.sqlite`)
      writeFileSync(path, readFileSync(path).fill(7, 100))
    }
  }
  await spoil()
  storage.requests.length = 0
  assert.deepEqual(await checkSegments(store, { progress: () => undefined }), [])
  assert.ok(
    storage.requests.every((request) => request.startsWith('HEAD')),
    'a check beside other work fetches nothing',
  )
  assert.deepEqual(await storeDigest(store, digested), whole)
  await spoil()
  const merge = (): Promise<void> => mergeAll(store, (segments) => segments.slice(0, 2))
  await assert.rejects(merge(), isFault('store-failed'))
  await merge()
  await spoil()
  const history = store.history
  assert.ok(history !== undefined)
  await store.transaction((writer) => thawFrom({ writer, history, recount }, 0))
  assert.deepEqual(await storeDigest(store, digested), whole)
})

void test('bucket: checking fails while the bucket does not answer, a file missing there is damage', async (t) => {
  const { store, storage, folder } = await opened(t)
  await freezeAt(store, [50])
  rmSync(join(folder, name), { recursive: true })
  storage.fault = () => 'denied'
  await assert.rejects(checkSegments(store, { progress: () => undefined }), isFault('not-ready'))
  storage.fault = () => undefined
  for (const key of storage.files.keys()) if (key.endsWith('.sqlite')) storage.files.delete(key)
  const damaged = await checkSegments(store, { progress: () => undefined })
  assert.deepEqual(damaged.map(({ stage }) => stage).toSorted(), ['blocks', 'traces'])
})
