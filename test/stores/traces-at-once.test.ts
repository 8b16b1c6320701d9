/** Traces that come after their blocks have become segments hold the rows of a run without. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { ChainText, usualShape } from '../../bench/evm-chain.ts'
import { traceText } from '../../bench/trace-text.ts'
import type { BlockBatch, TraceBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import type { RawUnit } from '../../src/codec/evm/raw.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { internalsOfAddress } from '../../src/store/query/evm/internals.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { mergeAll, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const digested = [...evmTables, ...metricsTables]
const leastRows = 60
const { signal } = new AbortController()

onBothEngines(
  'traces at once: the rows are those of a store that does not freeze',
  [],
  async ({ location: { store } }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-traces-'))
    const freeze = {}
    const frozen = await openStore({ store, dataDir, freeze }, 'one', chainTables, 'write')
    const tables = await openStore({ store, dataDir }, 'two', chainTables, 'write')
    try {
      const ingests = [await ingestOf(frozen, true), await ingestOf(tables, false)]
      const chain = new MadeChain()
      let seen = 0
      const blocks = async (count: number): Promise<string> => {
        const batch = chain.blocks(count)
        for (const ingest of ingests) await ingest.blocks(batch)
        return compared()
      }
      const traces = async (count: number): Promise<string> => {
        const batch = chain.traces(count)
        for (const ingest of ingests) await ingest.traces(batch)
        return compared()
      }
      const compared = async (): Promise<string> => {
        assert.deepEqual(await storeDigest(frozen, digested), await storeDigest(tables, digested))
        const pages = await internalPages(tables)
        assert.deepEqual(await internalPages(frozen), pages)
        seen = Math.max(seen, pages.length)
        return stateOf(frozen)
      }
      assert.equal(await blocks(20), 'blocks 20, traces, 0 traced in tables')
      assert.equal(await traces(5), 'blocks 20, traces 5, 0 traced in tables')
      // Some traces are left out, as where the state of old blocks is gone.
      for (const ingest of ingests) await ingest.skipTraces(8)
      chain.skipTraces(3)
      assert.equal(await traces(4), 'blocks 20, traces 5 12, 0 traced in tables')
      assert.equal(await blocks(20), 'blocks 20 40, traces 5 12, 0 traced in tables')
      // A batch of the head has few rows, and its blocks stay in tables.
      assert.equal(await blocks(2), 'blocks 20 40, traces 5 12, 0 traced in tables')
      assert.equal(await traces(29), 'blocks 20 40, traces 5 12 40, 1 traced in tables')
      assert.equal(await traces(1), 'blocks 20 40, traces 5 12 40, 2 traced in tables')
      assert.equal(await blocks(1), 'blocks 20 40, traces 5 12 40, 2 traced in tables')
      // What is in tables freezes before a batch of a backfill, traces as far as there are any.
      assert.equal(await blocks(20), 'blocks 20 40 43 63, traces 5 12 40 42, 0 traced in tables')
      assert.equal(await traces(8), 'blocks 20 40 43 63, traces 5 12 40 42 50, 0 traced in tables')
      assert.deepEqual(await checkStore(frozen, chainTables, { signal }), [])
      // The segment of traces that reaches over that of its blocks is parted.
      for (const ingest of ingests) await ingest.cut(45)
      chain.cut(45)
      // What was thawed and kept, of the blocks 43 and 44, lies in tables.
      assert.equal(await compared(), 'blocks 20 40 43, traces 5 12 40 42 43, 2 traced in tables')
      assert.equal(
        await blocks(30),
        'blocks 20 40 43 45 75, traces 5 12 40 42 43 45, 0 traced in tables',
      )
      assert.equal(
        await traces(30),
        'blocks 20 40 43 45 75, traces 5 12 40 42 43 45 75, 0 traced in tables',
      )
      await mergeAll(frozen, (segments) => (segments.length > 2 ? segments : []))
      assert.equal(await compared(), 'blocks 75, traces 75, 0 traced in tables')
      assert.deepEqual(await checkStore(frozen, chainTables, { signal }), [])
      assert.ok(seen > 10, `${seen} pages of internal transactions`)
    } finally {
      await tables.close()
      await frozen.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

/** A made-up chain with traces, of which both are read at their own pace. */
class MadeChain {
  readonly #chain = new ChainText({ ...usualShape, txsPerBlock: 2, holders: 60, tokens: 5 })
  #units: RawUnit[] = []
  #blocks = 0
  #traces = 0

  /** The next blocks. */
  blocks(count: number): BlockBatch {
    const from = this.#blocks
    this.#blocks += count
    while (this.#units.length < this.#blocks) this.#units.push(JSON.parse(this.#chain.next() ?? ''))
    return decodeBlocks(from, this.#units.slice(from, this.#blocks), (bytes) =>
      zstdCompressSync(bytes),
    )
  }

  /** Traces of the next blocks. */
  traces(count: number): TraceBatch {
    const from = this.#traces
    this.#traces += count
    const units = this.#units.slice(from, this.#traces)
    return decodeTraces(
      from,
      units.map((unit): unknown => JSON.parse(textOf(unit))),
    )
  }

  skipTraces(count: number): void {
    this.#traces += count
  }

  /** Both are read again from height `from` on. */
  cut(from: number): void {
    this.#blocks = Math.min(this.#blocks, from)
    this.#traces = Math.min(this.#traces, from)
  }
}

function textOf(unit: RawUnit): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by ChainText
  return traceText(unit as Parameters<typeof traceText>[0]).toString()
}

async function ingestOf(database: Database, isAtOnce: boolean): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const history = database.history
  const parts = { database, lease, clock: systemClock, openRollup }
  if (!isAtOnce) return new EvmIngest(parts)
  assert.ok(history !== undefined)
  return new EvmIngest({
    ...parts,
    freezing: { history, leastRows, mostRowsBefore: 400, rowsInTables: 0 },
  })
}

const idOf = statement('select id from address where bytes = ?')
// A party of every frame of `traceText`.
const pair = new Uint8Array(20).fill(0x5c)

/** Internal transactions with block and transaction, page by page. */
async function internalPages(store: Database): Promise<unknown[]> {
  const found = await store.get(idOf, [pair])
  if (found === undefined) return []
  const addressId = Number(found[0])
  const pages: unknown[] = []
  let until = 1_000 * placesPerBlock
  for (;;) {
    const rows = await internalsOfAddress(store, { addressId, range: { from: 0, until }, limit: 7 })
    const last = rows.at(-1)
    if (last === undefined) return pages
    pages.push(rows)
    until = last.pos
  }
}

const tracedInTables = statement(`select distinct pos / ${placesPerBlock} from internal`, {
  over: 'tables',
})

/** Where segments of both stages end, and how many blocks have traces in tables. */
async function stateOf(database: Database): Promise<string> {
  const ends = async (stage: 'blocks' | 'traces'): Promise<string> =>
    [stage, ...(await segmentsOf(database, stage)).map(({ until }) => until)].join(' ')
  const rows = await database.all(tracedInTables)
  return `${await ends('blocks')}, ${await ends('traces')}, ${rows.length} traced in tables`
}
