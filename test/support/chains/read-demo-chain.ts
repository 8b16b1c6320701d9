/** Reads a bundled chain into a store from wherever the store has got to, as a restart does. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../src/codec/evm/decode-traces.ts'
import { EvmIngest, type EvmIngestOptions } from '../../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { checkpointHeights } from '../../../src/store/checkpoint.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import type { ManifestSegment } from '../../../src/store/history/manifest.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { systemClock } from '../processes/system-clock.ts'
import type { DemoChainId } from '../stores/demo-store.ts'
import { freezeAt, mergeAll } from '../stores/freeze-store.ts'
import type { Filling } from '../stores/stores.ts'

/**
 * Reads to the end of the recording, `step` blocks a batch: first all blocks, then all traces, so
 * that addresses get the same numbers whatever the step.
 */
export async function readDemoChain(
  location: StoreLocation,
  run: {
    readonly name: string
    /** A recording of `demo`, by the chain's id or its name. */
    readonly chain: DemoChainId | 'meridian'
    readonly step: number
    readonly owner: string
    readonly progress?: (line: string) => void
    /** True where traces are read as well, which is the default. */
    readonly traces?: boolean
    /**
     * Freezes what is stored each time so many more heights have their traces, and merges segments
     * by three.
     */
    readonly freezeEvery?: number
    /** Batches of blocks become segments as they are stored, which merge by three. */
    readonly freezesAtOnce?: boolean
  },
): Promise<void> {
  const named = typeof run.chain === 'number' ? `chain-${run.chain}` : run.chain
  const file = readFileSync(join(import.meta.dirname, `../../../demo/${named}.firnrec`))
  const recording = openRecording(file)
  const database = await openStore(location, run.name, chainTables, 'write')
  const lease = await takeLease(database, run.owner, systemClock)
  if (lease === undefined) throw new Error('another process writes this store')
  const freezing = run.freezesAtOnce === true ? freezingAtOnce(database) : {}
  const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup, ...freezing })
  const { signal } = new AbortController()
  const { until } = recording.heights
  const heights = await checkpointHeights(database)
  const tracesUntil = run.traces === false ? 0 : until
  for (let from = (heights.get('blocks') ?? -1) + 1; from < until; from += run.step) {
    const range = { from, until: Math.min(from + run.step, until) }
    await ingest.blocks(
      await recording.blocks(range, (raw) => decodeBlocks(from, raw, zstdCompressSync), signal),
    )
    run.progress?.(`blocks ${range.until - 1}`)
    if (run.freezesAtOnce === true) await mergeAll(database, threeNewest)
  }
  for (let from = (heights.get('traces') ?? -1) + 1; from < tracesUntil; from += run.step) {
    const range = { from, until: Math.min(from + run.step, until) }
    await ingest.traces(await recording.traces(range, (raw) => decodeTraces(from, raw), signal))
    run.progress?.(`traces ${range.until - 1}`)
    if (run.freezeEvery !== undefined && range.until % run.freezeEvery < run.step) {
      await freezeAt(database, [range.until])
      run.progress?.(`frozen ${range.until - 1}`)
      await mergeAll(database, threeNewest)
      run.progress?.(`merged ${range.until - 1}`)
    }
  }
  await database.close()
}

/** Every batch is one of a backfill. */
function freezingAtOnce(database: Database): Pick<EvmIngestOptions, 'freezing'> {
  const history = database.history
  if (history === undefined) return {}
  return { freezing: { history, leastRows: 1, mostRowsBefore: 1_000, rowsInTables: 0 } }
}

/** Three neighbours of one tier at the end: short histories merge more than once. */
function threeNewest(segments: readonly ManifestSegment[]): readonly ManifestSegment[] {
  const newest = segments.slice(-3)
  return newest.length === 3 && newest.every(({ tier }) => tier === newest[0]?.tier) ? newest : []
}

/** Bundled chains that were read in batches of `step` blocks, each into the store `evm-<chain>`. */
export function demoFilling(step: number, ...chains: readonly DemoChainId[]): Filling {
  return {
    name: `read-${chains.join('-')}-by-${step}`,
    fill: async (location) => {
      for (const chain of chains)
        await readDemoChain(location, { name: `evm-${chain}`, chain, step, owner: 'first' })
    },
  }
}
