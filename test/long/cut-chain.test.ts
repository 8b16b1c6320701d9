/**
 * The end of a chain taken away and read again leaves the store as one that was read once, on both
 * engines: also where the end that was taken away held other rows than the chain.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { checkpointHeights } from '../../src/store/checkpoint.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { meta } from '../../src/store/schema/control.ts'
import { cutMessages, evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling, readDemoChain } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import type { DemoChainId } from '../support/stores/demo-store.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

/** All but what says which messages a cut was about. */
const digested = [...evmTables.filter((table) => table !== cutMessages), ...metricsTables, meta]
const filled = demoFilling(50, 51_001, 51_002)
const { signal } = new AbortController()

onBothEngines('cut: what is cut and read again is as if read once', [], cutAndReadAgain, filled)

async function cutAndReadAgain(store: TestStore): Promise<void> {
  const chain = 51_002
  await using chainStore = await opened(store, chain)
  const { undisturbed, database, ingest, read } = chainStore
  const { until } = openDemo(chain).heights
  for (const from of [until - 1, Math.floor(until / 2), 0]) {
    assert.equal(await ingest.cut(from), true)
    const heights = await checkpointHeights(database)
    assert.equal(heights.get('blocks'), from === 0 ? undefined : from - 1)
    await read(from)
    assert.deepEqual(await storeDigest(database, digested), undisturbed, `from ${from}`)
  }
  assert.equal(await ingest.cut(until), false)
}

onBothEngines('cut: rows that were never on the chain leave nothing', [], cutLies, filled)

async function cutLies(store: TestStore): Promise<void> {
  const chain = 51_001
  await using chainStore = await opened(store, chain)
  const { undisturbed, database, ingest, read } = chainStore
  const { until } = openDemo(chain).heights
  const from = until - 60
  await ingest.cut(from)
  const lie = await blocksOf(chain, from, until)
  alter(lie)
  await ingest.blocks(lie)
  const wrong = await storeDigest(database, digested)
  for (const table of ['evm_transaction', 'transfer', 'balance', 'nft_token', 'rollup_day'])
    assert.notEqual(wrong[table], undisturbed[table], table)
  await ingest.cut(from)
  await read(from)
  assert.deepEqual(await storeDigest(database, digested), undisturbed)
}

onBothEngines('cut: a kill before anything is read again leaves no trace', [], async (store) => {
  const { location } = store
  const run = { name: 'killed', chain: 51_002, step: 50 } as const
  await readDemoChain(location, { ...run, owner: 'first' })
  const undisturbed = await digestOf(location, run.name)
  const { until } = openDemo(run.chain).heights
  for (const from of [until - 1, Math.floor(until / 2), 0]) {
    await cutAndKilled(location, run.name, from)
    await readDemoChain(location, { ...run, owner: `after ${from}` })
    assert.deepEqual(await digestOf(location, run.name), undisturbed, `from ${from}`)
  }
})

async function cutAndKilled(location: StoreLocation, name: string, from: number): Promise<void> {
  const script = join(import.meta.dirname, '../support/processes/cut-process.ts')
  const words = [script, JSON.stringify(location), name, String(from)]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  const [said] = await Promise.race([once(child.stdout, 'data'), gone])
  assert.equal(String(said), 'cut\n')
  child.kill('SIGKILL')
  await gone
}

async function digestOf(location: StoreLocation, name: string): Promise<unknown> {
  const database = await openStore(location, name, chainTables, 'read')
  try {
    return await storeDigest(database, digested)
  } finally {
    await database.close()
  }
}

onBothEngines('cut: what is frozen and cut is as if read once', [], cutFrozen, filled)

async function cutFrozen(store: TestStore): Promise<void> {
  const chain = 51_002
  const folder = mkdtempSync(join(tmpdir(), 'firn-cut-'))
  try {
    const { dataDir } = store.location
    const segments = { dataDir: dataDir === '' ? folder : dataDir, freeze: {} }
    const location = { ...store.location, ...segments }
    await using chainStore = await opened({ ...store, location }, chain)
    const { undisturbed, database, ingest, read } = chainStore
    const { until } = openDemo(chain).heights
    const half = Math.floor(until / 2)
    for (const from of [until - 1, half, 0]) {
      await freezeAt(database, [half - 7, half + 1, until])
      assert.ok((await segmentsOf(database)).length > 0)
      assert.equal(await ingest.cut(from), true)
      await read(from)
      // The list of segments in `meta` has a number that never comes again.
      const { meta: _segments, ...rows } = await storeDigest(database, digested)
      assert.deepEqual({ ...undisturbed, ...rows }, undisturbed, `from ${from}`)
    }
    assert.deepEqual(await segmentsOf(database), [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Swaps the ends of every transfer, and lets every transaction cost more: a liar's blocks. */
function alter({ transfers, txs }: BlockBatch): void {
  for (let row = 0; row < transfers.count; row++) {
    const from = transfers.from[row] ?? 0
    transfers.from[row] = transfers.to[row] ?? 0
    transfers.to[row] = from
  }
  for (let row = 0; row < txs.count; row++) txs.gasUsed[row] = (txs.gasUsed[row] ?? 0) + 7
}

async function opened(store: TestStore, chain: DemoChainId) {
  const name = `evm-${chain}`
  const database: Database = await openStore(store.location, name, chainTables, 'write')
  const undisturbed = await storeDigest(database, digested)
  const lease = await takeLease(database, 'second', systemClock)
  assert.ok(lease !== undefined)
  const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup })
  const { until } = openDemo(chain).heights
  const read = async (from: number) => {
    await ingest.blocks(await blocksOf(chain, from, until))
    const decode = (raw: Parameters<typeof decodeTraces>[1]) => decodeTraces(from, raw)
    await ingest.traces(await openDemo(chain).traces({ from, until }, decode, signal))
  }
  const close = () => database.close()
  return { undisturbed, database, ingest, read, [Symbol.asyncDispose]: close }
}

function openDemo(chain: DemoChainId) {
  return openRecording(readFileSync(join(import.meta.dirname, `../../demo/chain-${chain}.firnrec`)))
}

async function blocksOf(chain: DemoChainId, from: number, until: number): Promise<BlockBatch> {
  return openDemo(chain).blocks(
    { from, until },
    (raw) => decodeBlocks(from, raw, zstdCompressSync),
    signal,
  )
}
