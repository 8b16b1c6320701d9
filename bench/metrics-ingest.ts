/**
 * Cost of counting to ingest: a made-up chain goes through the real writer with and without the
 * rollup, batch by batch in turns, each into a store of its own.
 *
 * Both writers meet every batch within moments of each other, and take turns at being first, so
 * that a slow spell of the machine hits both. What is compared is processor time of this thread.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../src/codec/evm/columns/columns.ts'
import { mergeBlocks } from '../src/codec/evm/columns/merge-batches.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../src/codec/evm/raw.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest, goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import type { Reader } from '../src/store/engine/database.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { ChainText, usualShape } from './evm-chain.ts'

/**
 * Amounts that are measured; `batchRows` as the writer cuts a backfill where nothing else is said.
 */
export type IngestShare = {
  readonly blocks: number
  readonly rounds: number
  readonly batchRows?: number
}

/** Processor time of one commit, milliseconds. */
type Pair = { readonly plain: number; readonly counted: number; readonly inside: number }

/** Prints medians over all pairs of commits, and how far they lie apart. */
export async function ingestShare(plan: IngestShare, clock: Clock): Promise<void> {
  const { batches, transfers } = prepare(plan.blocks, plan.batchRows ?? goodBatchRows)
  const pairs: Pair[] = []
  // The first round warms the code up.
  for (let round = 0; round <= plan.rounds; round++) {
    const made = await oneRound(batches, clock, round)
    if (round > 0) pairs.push(...made)
  }
  const rows: readonly [string, Quartiles, string][] = [
    ['without counting', quartiles(pairs.map(({ plain }) => plain)), 'ms a commit'],
    ['with counting', quartiles(pairs.map(({ counted }) => counted)), 'ms a commit'],
    ['more, pair by pair', quartiles(pairs.map(moreOf)), '%'],
    ['spent in counting', quartiles(pairs.map(insideOf)), '%'],
  ]
  console.log(
    `ingest of ${plan.blocks} blocks, ${transfers} transfers, ${batches.length} commits a round, ` +
      `${plan.rounds} rounds, processor: median (quartiles)`,
  )
  for (const [name, values, unit] of rows)
    console.log(`  ${name.padEnd(20)} ${shown(values)} ${unit}`)
}

function moreOf({ plain, counted }: Pair): number {
  return (counted / plain - 1) * 100
}

function insideOf({ counted, inside }: Pair): number {
  return (inside / counted) * 100
}

function prepare(
  blocks: number,
  batchRows: number,
): { readonly batches: readonly BlockBatch[]; readonly transfers: number } {
  const chain = new ChainText({ ...usualShape, blocks })
  const batches: BlockBatch[] = []
  let waiting: BlockBatch[] = []
  let rows = 0
  for (let from = 0; from < blocks;) {
    const raws: RawUnit[] = []
    for (let text = chain.next(); text !== undefined; text = chain.next()) {
      raws.push(JSON.parse(text))
      if (raws.length === 20) break
    }
    const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
    from += raws.length
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows < batchRows && from < blocks) continue
    batches.push(mergeBlocks(waiting))
    waiting = []
    rows = 0
  }
  return { batches, transfers: chain.transfers }
}

async function oneRound(
  batches: readonly BlockBatch[],
  clock: Clock,
  round: number,
): Promise<Pair[]> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const meter = { spent: 0 }
  const plain = await openWriter({ folder, name: 'plain', clock })
  const counted = await openWriter({ folder, name: 'counted', clock, meter })
  const pairs: Pair[] = []
  try {
    for (const [at, batch] of batches.entries()) {
      const took = new Map<Writer, number>()
      const before = meter.spent
      const turn = (at + round) % 2 === 0 ? [plain, counted] : [counted, plain]
      for (const writer of turn) took.set(writer, await writer.write(batch))
      pairs.push({
        plain: took.get(plain) ?? 0,
        counted: took.get(counted) ?? 0,
        inside: meter.spent - before,
      })
    }
    return pairs
  } finally {
    await plain.close()
    await counted.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Writer = {
  /** Gives the milliseconds of processor it took. */
  readonly write: (batch: BlockBatch) => Promise<number>
  readonly close: () => Promise<void>
}

async function openWriter(plan: {
  readonly folder: string
  readonly name: string
  readonly clock: Clock
  /** Counts, and adds up what counting alone took. */
  readonly meter?: { spent: number }
}): Promise<Writer> {
  const { folder, name, clock, meter } = plan
  const location = { store: 'embedded', dataDir: folder }
  const database = await openStore(location, name, chainTables, 'write')
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('the store was just made here')
  const ingest = new EvmIngest({
    database,
    lease,
    clock,
    ...(meter === undefined ? {} : { openRollup: meteredRollup(meter) }),
  })
  return {
    write: async (batch) => {
      const began = process.threadCpuUsage()
      await ingest.blocks(batch)
      return millisSince(began)
    },
    close: () => database.close(),
  }
}

function meteredRollup(meter: { spent: number }): typeof openRollup {
  return async (reader: Reader) => {
    const rollup = await openRollup(reader)
    return {
      ...rollup,
      blocks: async (writer, batch, ids) => {
        const began = process.threadCpuUsage()
        await rollup.blocks(writer, batch, ids)
        meter.spent += millisSince(began)
      },
    }
  }
}

function millisSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}

type Quartiles = readonly [low: number, median: number, high: number]

function quartiles(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return [at(0.25), at(0.5), at(0.75)]
}

function shown([low, median, high]: Quartiles): string {
  return `${median.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`
}
