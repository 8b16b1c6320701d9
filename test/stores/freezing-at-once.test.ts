/** Blocks of a backfill that become segments as they are stored hold the rows of a run without. */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { recount } from '../../src/indexing/evm/write/recount.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { thawFrom } from '../../src/store/history/freeze.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import type { StoredProofs } from '../../src/store/query/evm/heights.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { chainReader } from '../support/chains/made-blocks.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { mergeAll, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const digested = [...evmTables, ...metricsTables]
const leastRows = 60
const mostRowsBefore = 400
const { signal } = new AbortController()

onBothEngines(
  'freezing at once: the rows are those of a store that does not freeze',
  [],
  async ({ location: { store } }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-at-once-'))
    const freeze = {}
    const frozen = await openStore({ store, dataDir, freeze }, 'one', chainTables, 'write')
    const tables = await openStore({ store, dataDir }, 'two', chainTables, 'write')
    try {
      const ingests = [await ingestOf(frozen, true), await ingestOf(tables, false)]
      const read = chainReader()
      const add = async (count: number, proofs: StoredProofs = {}): Promise<string> => {
        const batch = read(count)
        for (const ingest of ingests) await ingest.blocks(batch, { proofs })
        assert.deepEqual(await storeDigest(frozen, digested), await storeDigest(tables, digested))
        return stateOf(frozen)
      }
      assert.equal(await add(20), '20, 0 in tables')
      assert.equal(await add(20), '20 40, 0 in tables')
      // At the head batches are small, and nothing becomes a segment.
      assert.equal(await add(1), '20 40, 1 in tables')
      // What is in tables becomes a segment before those that follow.
      assert.equal(await add(30), '20 40 41 71, 0 in tables')
      // What is not proven stays in tables, and so does what follows it.
      assert.equal(await add(30, { unprovenFrom: 80 }), '20 40 41 71, 30 in tables')
      assert.equal(await add(20, { unprovenFrom: 80 }), '20 40 41 71, 50 in tables')
      assert.equal(await add(20), '20 40 41 71 121 141, 0 in tables')
      // Too many rows are in tables for one commit.
      assert.equal(await add(120, { unprovenFrom: 150 }), '20 40 41 71 121 141, 120 in tables')
      assert.equal(await add(20), '20 40 41 71 121 141, 140 in tables')
      assert.deepEqual(await checkStore(frozen, chainTables, { signal }), [])
      await mergeAll(frozen, (segments) => (segments.length > 2 ? segments : []))
      assert.equal(await stateOf(frozen), '141, 140 in tables')
      assert.deepEqual(await storeDigest(frozen, digested), await storeDigest(tables, digested))
      const history = frozen.history
      assert.ok(history !== undefined)
      await frozen.transaction((writer) => thawFrom({ writer, history, recount }, 0))
      assert.equal(await stateOf(frozen), ', 281 in tables')
      assert.deepEqual(await storeDigest(frozen, digested), await storeDigest(tables, digested))
      assert.deepEqual(await checkStore(frozen, chainTables, { signal }), [])
    } finally {
      await tables.close()
      await frozen.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

onBothEngines(
  'freezing at once: a commit that fails leaves no row, and its file goes with the next one',
  [],
  async ({ location: { store } }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-at-once-'))
    const freeze = {}
    const database = await openStore({ store, dataDir, freeze }, 'one', chainTables, 'write')
    try {
      let isBroken = false
      const breaking: Database = {
        ...database,
        transaction: (work, how) =>
          database.transaction(async (writer) => {
            const done = await work(writer)
            if (isBroken) throw new Error('cut off before its commit')
            return done
          }, how),
      }
      const ingest = await ingestOf(breaking, true, database)
      const read = chainReader()
      await ingest.blocks(read(20))
      const before = await storeDigest(database, digested)
      const second = read(20)
      isBroken = true
      await assert.rejects(ingest.blocks(second), /cut off before its commit/)
      isBroken = false
      assert.equal(await stateOf(database), '20, 0 in tables')
      assert.deepEqual(await storeDigest(database, digested), before)
      const folder = join(dataDir, 'segments', 'one')
      assert.equal(readdirSync(folder).length, 3)
      await ingest.blocks(second)
      await ingest.blocks(read(20))
      assert.equal(await stateOf(database), '20 40 60, 0 in tables')
      assert.equal(readdirSync(folder).length, 4)
    } finally {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

async function ingestOf(
  database: Database,
  isAtOnce: boolean,
  store: Database = database,
): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const history = store.history
  const parts = { database, lease, clock: systemClock, openRollup }
  if (!isAtOnce) return new EvmIngest(parts)
  assert.ok(history !== undefined)
  return new EvmIngest({
    ...parts,
    freezing: { history, leastRows, mostRowsBefore, rowsInTables: 0 },
  })
}

const blocksInTables = statement('select count(*) from evm_block', { over: 'tables' })

/** Where segments end, and how many blocks are in tables. */
async function stateOf(database: Database): Promise<string> {
  const ends = (await segmentsOf(database)).map(({ until }) => until)
  const rows = (await database.get(blocksInTables))?.[0]
  return `${ends.join(' ')}, ${String(rows)} in tables`
}
