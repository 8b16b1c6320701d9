/**
 * Merged segments are the segment that one freezing of all their heights writes, byte for byte; and
 * nobody who reads meanwhile, and no failure on the way, sees anything but the same rows.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import { mergeStream } from '../../src/indexing/evm/freeze/merge-stream.ts'
import { mergingThread } from '../../src/indexing/evm/freeze/merge-thread.ts'
import { recount } from '../../src/indexing/evm/write/recount.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { checkSegments } from '../../src/store/history/check-segments.ts'
import { thawFrom } from '../../src/store/history/freeze.ts'
import type { ManifestSegment } from '../../src/store/history/manifest.ts'
import { mergeFiles } from '../../src/store/history/merge-files.ts'
import {
  mergeDue,
  type Merging,
  mostMergedAtOnce,
  segmentsToMerge,
} from '../../src/store/history/merge-segments.ts'
import { identityName } from '../../src/store/history/segment-bytes.ts'
import { keptUnnamedMs } from '../../src/store/history/segment-folder.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { blockByHeight } from '../../src/store/query/evm/blocks.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import {
  freezeAt,
  mergeAll,
  removeUnnamed,
  segmentFiles,
  segmentsOf,
} from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { newFolder, onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const name = `evm-${chain}`
const freeze = {}
const filling = demoFilling(50, chain)
const digested = evmTables.filter(({ freezes }) => freezes !== undefined)
const pieces = [20, 40, 60, 80, 100, 110, 120, 130, 140]
const eight = pieces.slice(0, 8)

type Opened = { readonly store: Database; readonly location: StoreLocation; readonly files: string }

/** Does `work` with the demo chain in a store of SQLite, frozen at `heights`. */
async function withFrozen(
  heights: readonly number[],
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const dataDir = await newFolder(filling)
  const location: StoreLocation = { store: 'embedded', dataDir, freeze }
  const store = await openStore(location, name, chainTables, 'write')
  try {
    await freezeAt(store, heights)
    await work({ store, location, files: join(dataDir, 'segments', name) })
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function oldestEight(segments: readonly ManifestSegment[]): readonly ManifestSegment[] {
  return segmentsToMerge(segments).slice(0, eight.length)
}

function mergingOf(store: Database): Merging {
  const history = store.history
  assert.ok(history !== undefined)
  return {
    reader: store,
    history,
    pause: async () => undefined,
    commit: (work) => store.transaction(work),
    choose: oldestEight,
  }
}

void test('merging: eight segments become the one that a single freezing writes', async () => {
  let whole = ''
  let rows: unknown
  await withFrozen([eight.at(-1) ?? 0], async ({ store }) => {
    whole = (await segmentsOf(store))[0]?.name ?? ''
    rows = await storeDigest(store, digested)
  })
  await withFrozen(eight, async ({ store, files }) => {
    await mergeAll(store)
    const { size: bytes } = statSync(join(files, `${whole}.sqlite`))
    assert.deepEqual(await segmentsOf(store), [
      { stage: 'blocks', from: 0, until: 130, name: whole, tier: 1, bytes },
    ])
    assert.deepEqual(await storeDigest(store, digested), rows)
    assert.deepEqual(await checkSegments(store, { progress: () => undefined }), [])
    // What was merged goes when nobody has named it for minutes, with the next freezing, and nothing else does.
    assert.equal(filesIn(files).length, 2 * 9)
    const history = store.history
    assert.equal(await history?.folder.hasOverdue(store, 0), false)
    assert.equal(await history?.folder.hasOverdue(store, keptUnnamedMs - 1), false)
    await store.transaction(async (writer) => history?.folder.removeOverdue(writer))
    assert.equal(filesIn(files).length, 2 * 9)
    assert.equal(await history?.folder.hasOverdue(store, keptUnnamedMs), true)
    await freezeAt(store, [140])
    assert.deepEqual(filesIn(files).toSorted(), await segmentFiles(store))
    assert.deepEqual(await storeDigest(store, digested), rows)
  })
})

void test('merging: as many segments as a fast backfill leaves are merged at once', async () => {
  const heights = Array.from({ length: mostMergedAtOnce }, (_, at) => 10 * (at + 1))
  await withFrozen(heights, async ({ store }) => {
    const rows = await storeDigest(store, digested)
    await mergeAll(store)
    assert.equal((await segmentsOf(store)).length, 1)
    assert.deepEqual(await storeDigest(store, digested), rows)
  })
})

void test('merging: segments without rows have one name, and are distinguished by their heights', async () => {
  // Blocks without internal transactions leave files of traces that are the same.
  const heights = Array.from({ length: 40 }, (_, at) => at + 1)
  await withFrozen(heights, async ({ store }) => {
    const traces = await segmentsOf(store, 'traces')
    const last = traces.findLastIndex(({ name }, at) => traces[at - 1]?.name === name)
    const due = traces.slice(last - 1, last + 1)
    const first = traces.findIndex(({ name }) => name === due[0]?.name)
    assert.ok(first !== -1 && first < last - 1, 'an older one is the same')
    const rows = await storeDigest(store, digested)
    await mergeAll(store, (segments) => segments.filter((each) => due.some(isSame(each))))
    assert.equal((await segmentsOf(store, 'traces')).length, traces.length - 1)
    assert.deepEqual(await storeDigest(store, digested), rows)
  })
})

function isSame({ stage, from, tier }: ManifestSegment): (other: ManifestSegment) => boolean {
  return (other) => other.stage === stage && other.from === from && other.tier === tier
}

onBothEngines(
  'merging: other processes, and a snapshot from before, read on',
  [],
  async ({ location, engine }) => {
    const folder = engine === 'sqlite' ? undefined : mkdtempSync(join(tmpdir(), 'firn-merging-'))
    try {
      const more = folder === undefined ? { freeze } : { freeze, dataDir: folder }
      await readOn({ ...location, ...more })
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    }
  },
  filling,
)

async function readOn(location: StoreLocation): Promise<void> {
  const store = await openStore(location, name, chainTables, 'write')
  const other = await openStore(location, name, chainTables, 'read')
  const rows = await storeDigest(store, digested)
  await freezeAt(store, pieces)
  // It knows the names of files that will be gone, and has opened none of them.
  assert.equal((await segmentsOf(other)).length, pieces.length)
  await other.snapshot(async (reader) => {
    await mergeAll(store, oldestEight)
    await freezeAt(store, [150])
    assert.deepEqual(await storeDigest(reader, digested), rows, 'a snapshot from before')
  })
  assert.deepEqual(await storeDigest(other, digested), rows, 'another process')
  assert.equal((await segmentsOf(other)).length, 3)
  const merging = mergingOf(store)
  await store.transaction((writer) => thawFrom({ writer, history: merging.history, recount }, 135))
  assert.deepEqual(
    (await segmentsOf(store)).map(({ until }) => until),
    [130],
  )
  assert.deepEqual(await storeDigest(store, digested), rows, 'taken back into tables')
  await other.close()
  await store.close()
}

void test('merging: a thread of its own writes the same file, and says what fails', async () => {
  await withFrozen(pieces, async ({ store, files }) => {
    const { signal, abort } = endable()
    const write = mergingThread(signal, 0)
    const sources = (await segmentsOf(store)).map(({ name: each }) => ({
      path: join(files, `${each}.sqlite`),
      name: each,
    }))
    const job = { sources, draft: join(files, 'own.part'), stage: 'blocks' as const }
    const pause = async (): Promise<void> => undefined
    const [{ name } = { name: '' }] = await mergeFiles(job, pause)
    const bytes = readFileSync(job.draft)
    // Jobs of several chains wait for each other.
    const other = { ...job, draft: join(files, 'other.part') }
    const made = await Promise.all([write(other, pause), write(job, pause)])
    assert.deepEqual(made, [[{ draft: other.draft, name }], [{ draft: job.draft, name }]])
    assert.deepEqual(readFileSync(other.draft), bytes)
    const missing = {
      ...job,
      sources: [...sources, { path: join(files, 'none.sqlite'), name: 'none' }],
    }
    await assert.rejects(write(missing, pause), (error) => {
      assert.ok(error instanceof Fault && error.code === 'store-failed')
      return /is missing|no such file/.test(error.message)
    })
    // The product's own way through the stream's transaction.
    const merging = { ...mergingOf(store), write }
    assert.equal((await mergeDue(merging))?.until, 130)
    abort()
    await assert.rejects(write(job, pause), /abort/)
  })
})

void test('merging: a failure on the way changes nothing and leaves no file', async () => {
  await withFrozen(pieces, async ({ store, files }) => {
    const rows = await storeDigest(store, digested)
    const before = await segmentsOf(store)
    const merging = mergingOf(store)
    const full = new Fault('store-full', 'the disk is full')
    let slices = 0
    const failing: readonly Partial<Merging>[] = [
      { pause: async () => Promise.reject(full) },
      { pause: async () => (++slices === 5 ? Promise.reject(full) : undefined) },
      {
        commit: (work) =>
          store.transaction(async (writer) => {
            await work(writer)
            throw full
          }),
      },
    ]
    for (const fails of failing) {
      await assert.rejects(mergeDue({ ...merging, ...fails }), full)
      assert.deepEqual(await segmentsOf(store), before)
      assert.deepEqual(await storeDigest(store, digested), rows)
    }
    // The file of the commit that failed is taken away as that of a killed process is.
    assert.equal(filesIn(files).length, 2 * pieces.length + 1)
    await removeUnnamed(store)
    assert.equal(filesIn(files).length, 2 * pieces.length)
    // Files that are being written now are nobody's orphans.
    let seen = 0
    const pause = async (): Promise<void> => {
      await removeUnnamed(store)
      seen = Math.max(seen, filesIn(files).length)
    }
    assert.equal((await mergeDue({ ...merging, pause }))?.until, 130)
    assert.equal(seen, 2 * pieces.length + 1)
  })
})

void test('merging: the stream works a third of the time, and takes away what was replaced', async () => {
  await withFrozen(pieces, async ({ store, files }) => {
    for (const left of ['left.part', 'left.part-journal', 'left.part.part'])
      writeFileSync(join(files, left), 'of a killed process')
    let now = 0
    let looks = 0
    const pauses: number[] = []
    const { signal, abort } = endable()
    const stream = mergeStream({
      database: store,
      key: name,
      log: silentLog,
      commit: (work) => store.transaction(work),
      clock: {
        ...systemClock,
        // Each look at the clock is ten milliseconds later.
        monotonic: () => (now += 10),
        sleep: async (ms) => {
          if (ms < 1_000) pauses.push(ms)
          else if (++looks === 4) abort()
          else now += keptUnnamedMs
        },
      },
    })
    await stream.run(signal)
    const segments = await segmentsOf(store)
    assert.deepEqual(
      segments.map(({ until }) => until),
      [140],
    )
    assert.deepEqual(filesIn(files).toSorted(), await segmentFiles(store))
    assert.ok(pauses.length > 2, `${pauses.length} pauses`)
    assert.ok(
      pauses.every((ms) => ms === 40),
      'twice the 20 ms of a slice',
    )
  })
})

/** Files of a folder but the one that says which folder it is. */
function filesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== identityName)
}

function endable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

void test('merging: history that is taken back meanwhile is not merged', async () => {
  await withFrozen(pieces, async ({ store, files }) => {
    const rows = await storeDigest(store, digested)
    const merging = mergingOf(store)
    let isThawed = false
    const pause = async (): Promise<void> => {
      if (isThawed) return
      isThawed = true
      await store.transaction((writer) =>
        thawFrom({ writer, history: merging.history, recount }, 50),
      )
      // Readers let go of the files that are being merged.
      assert.equal((await blockByHeight(store, 30))?.height, 30)
    }
    assert.equal(await mergeDue({ ...merging, pause }), undefined)
    assert.deepEqual(
      (await segmentsOf(store)).map(({ until }) => until),
      [20, 40],
    )
    assert.deepEqual(await storeDigest(store, digested), rows)
    await freezeAt(store, [60])
    await removeUnnamed(store)
    assert.equal(filesIn(files).length, 2 * 3)
  })
})

void test('merging: a damaged segment is a fault that names it, and stays for its repair', async () => {
  await withFrozen(pieces, async ({ store, location, files }) => {
    const [, second] = await segmentsOf(store)
    const path = join(files, `${second?.name}.sqlite`)
    const bytes = readFileSync(path)
    bytes[30] = (bytes[30] ?? 0) ^ 1
    writeFileSync(path, bytes)
    const again = await openStore(location, name, chainTables, 'read')
    const names = (fault: unknown): boolean =>
      fault instanceof Fault && fault.code === 'store-failed' && fault.message.includes(path)
    const merging = mergingOf(again)
    await assert.rejects(mergeDue({ ...merging, commit: (work) => store.transaction(work) }), names)
    await again.close()
    assert.equal((await segmentsOf(store)).length, pieces.length)
    assert.equal(filesIn(files).length, 2 * pieces.length)
  })
})
