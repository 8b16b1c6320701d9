/**
 * Cost of the sums of a store's ranges: a made-up chain goes through the real writer with and
 * without them, batch by batch in turns, each into a store of its own; then what reading the store
 * to check them takes.
 *
 *     node bench/store-sums.ts [blocks] [rounds]
 *
 * Compared is processor time of this thread; both writers take turns at being first.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
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
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { rangeSum } from '../src/store/schema/sums.ts'
import { checkStore } from '../src/store/sums/check-store.ts'
import { ChainText, usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? 3_000)
const rounds = Number(process.argv[3] ?? 3)

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

const { batches, transfers } = prepared()
const more: number[] = []
const bare: number[] = []
const kept: number[] = []
for (let round = 0; round <= rounds; round++) {
  const took = await oneRound(round)
  // The first round warms the code up.
  if (round === 0) continue
  bare.push(took.bare)
  kept.push(took.kept)
  more.push((took.kept / took.bare - 1) * 100)
}
const print = (name: string, values: readonly number[], unit: string): void =>
  console.log(`${name.padEnd(28)} ${values.map((value) => value.toFixed(2)).join('  ')}  ${unit}`)
console.log(`${blocks} blocks, ${transfers} transfers, ${batches.length} commits a round`)
print('writer without sums', bare, 'µs of processor a transfer')
print('writer with sums', kept, 'µs of processor a transfer')
print('more', more, '%')

function prepared(): { readonly batches: readonly BlockBatch[]; readonly transfers: number } {
  const chain = new ChainText({ ...usualShape, blocks })
  const made: BlockBatch[] = []
  let waiting: BlockBatch[] = []
  let rows = 0
  for (let from = 0; from < blocks;) {
    const raws: RawUnit[] = []
    while (raws.length < 20 && from + raws.length < blocks)
      raws.push(JSON.parse(chain.next() ?? ''))
    const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
    from += raws.length
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows < goodBatchRows && from < blocks) continue
    made.push(mergeBlocks(waiting))
    waiting = []
    rows = 0
  }
  return { batches: made, transfers: chain.transfers }
}

async function oneRound(round: number): Promise<{ bare: number; kept: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const without = await openWriter(
    folder,
    'bare',
    chainTables.filter((table) => table !== rangeSum),
  )
  const summed = await openWriter(folder, 'kept', chainTables)
  const spent = { bare: 0, kept: 0 }
  try {
    for (const [at, batch] of batches.entries()) {
      const turn = (at + round) % 2 === 0 ? [without, summed] : [summed, without]
      for (const writer of turn) spent[writer.name] += await writer.write(batch)
    }
    await without.close()
    if (round === rounds) await timeCheck(folder)
    await summed.close()
    return { bare: spent.bare / transfers, kept: spent.kept / transfers }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openWriter(
  folder: string,
  name: 'bare' | 'kept',
  tables: readonly (typeof chainTables)[number][],
) {
  const location = { store: 'embedded', dataDir: folder }
  const database = await openStore(location, name, tables, 'write')
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('no lease')
  const ingest = new EvmIngest({ database, lease, clock, openRollup })
  return {
    name,
    write: async (batch: BlockBatch): Promise<number> => {
      const before = process.threadCpuUsage()
      await ingest.blocks(batch)
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    },
    close: () => database.close(),
  }
}

async function timeCheck(folder: string): Promise<void> {
  const location = { store: 'embedded', dataDir: folder }
  const database = await openStore(location, 'kept', chainTables, 'read')
  let rows = 0
  let counted = 0
  let table = ''
  const before = process.threadCpuUsage()
  const { signal } = new AbortController()
  const progress = (name: string, done: number): void => {
    rows += name === table ? done - counted : done
    table = name
    counted = done
  }
  const damaged = await checkStore(database, chainTables, { signal, progress })
  if (damaged.length > 0) throw new Error('the store is damaged')
  const { user, system } = process.threadCpuUsage(before)
  await database.close()
  const { size } = statSync(join(folder, 'kept.sqlite'))
  console.log(
    `reading all ${rows} rows again: ${((user + system) / rows).toFixed(2)} µs of processor a row, ` +
      `${(size / (user + system)).toFixed(0)} MB/s`,
  )
}
