/**
 * Every single operation of a batch fails once. The store stays as it was, and the same writer
 * goes on to the same rows: nothing it remembers is ahead of what is stored.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import { Fault } from '../../src/core/fault.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import type { Database, Writer } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { checkpoint } from '../../src/store/schema/control.ts'
import { cutMessages, evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

const file = readFileSync(join(import.meta.dirname, '../../demo/chain-51002.firnrec'))
const recording = openRecording(file)
const { signal } = new AbortController()
const written = [...evmTables, ...metricsTables, checkpoint]
/** A cut is written down for the store of messages. */
const kept = written.filter((table) => table !== cutMessages)

const blocks = (from: number, until: number) =>
  recording.blocks({ from, until }, (raw) => decodeBlocks(from, raw, zstdCompressSync), signal)
const traces = (from: number, until: number) =>
  recording.traces({ from, until }, (raw) => decodeTraces(from, raw), signal)

onBothEngines(
  'failing ingest: any operation may fail, the rows are the same',
  [],
  async (store) => {
    const plain = await opened(store, 'plain', (database) => database)
    await plain.ingest.blocks(await blocks(0, 20))
    const before = await storeDigest(plain.database, written)
    await plain.ingest.blocks(await blocks(20, 40))
    await plain.ingest.traces(await traces(0, 40))
    const expected = await storeDigest(plain.database, written)

    const failing = { countdown: Number.POSITIVE_INFINITY }
    const tried = await opened(store, 'tried', (database) => withFailures(database, failing))
    await tried.ingest.blocks(await blocks(0, 20))
    const next = await blocks(20, 40)
    const failures = await untilItWorks(
      { failing, step: 1 },
      async () => void (await tried.ingest.blocks(next)),
      async () => {
        assert.deepEqual(await storeDigest(tried.database, written), before)
      },
    )
    const traced = await traces(0, 40)
    const more = await untilItWorks(
      { failing, step: 1 },
      async () => tried.ingest.traces(traced),
      async () => undefined,
    )
    assert.ok(failures > 20 && more > 6, `${failures} and ${more} operations`)
    assert.deepEqual(await storeDigest(tried.database, written), expected)
    // A cut has hundreds of operations, and each try repeats all before the one that fails.
    const ofCut = await untilItWorks(
      { failing, step: 17 },
      async () => void (await tried.ingest.cut(36)),
      async () => {
        assert.deepEqual(await storeDigest(tried.database, written), expected)
      },
    )
    assert.ok(ofCut > 40, `${ofCut} operations`)
    await tried.ingest.blocks(await blocks(36, 40))
    await tried.ingest.traces(await traces(36, 40))
    assert.deepEqual(
      await storeDigest(tried.database, kept),
      await storeDigest(plain.database, kept),
    )
    await plain.database.close()
    await tried.database.close()
  },
)

/** Fails operation 0, then the one `step` after it, and so on, until `work` ends without reaching it. */
async function untilItWorks(
  { failing, step }: { readonly failing: { countdown: number }; readonly step: number },
  work: () => Promise<void>,
  check: () => Promise<void>,
): Promise<number> {
  for (let operation = 0; ; operation += step) {
    failing.countdown = operation
    try {
      await work()
      failing.countdown = Number.POSITIVE_INFINITY
      return operation
    } catch (error) {
      assert.ok(error instanceof Fault && error.code === 'store-full', String(error))
      failing.countdown = Number.POSITIVE_INFINITY
      await check()
    }
  }
}

async function opened(store: TestStore, name: string, around: (database: Database) => Database) {
  const database = await openStore(store.location, name, chainTables, 'write')
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const parts = { database: around(database), lease, clock: systemClock, openRollup }
  return { database, ingest: new EvmIngest(parts) }
}

/** The same store, whose writer fails when the countdown ends. */
function withFailures(database: Database, failing: { countdown: number }): Database {
  const spend = (): void => {
    if (failing.countdown-- === 0) throw new Fault('store-full', 'as if the disk were full')
  }
  const around = (writer: Writer): Writer => ({
    all: async (...parameters) => (spend(), writer.all(...parameters)),
    get: async (...parameters) => (spend(), writer.get(...parameters)),
    lookup: async (...parameters) => (spend(), writer.lookup(...parameters)),
    run: async (...parameters) => (spend(), writer.run(...parameters)),
    insert: async (...rows) => (spend(), writer.insert(...rows)),
    insertNew: async (...rows) => (spend(), writer.insertNew(...rows)),
    upsert: async (...rows) => (spend(), writer.upsert(...rows)),
    update: async (...rows) => (spend(), writer.update(...rows)),
    remove: async (...rows) => (spend(), writer.remove(...rows)),
    clear: async (table) => (spend(), writer.clear(table)),
  })
  return {
    ...database,
    engine: database.engine,
    name: database.name,
    transaction: (work) => database.transaction((writer) => work(around(writer))),
  }
}
