/**
 * Speed and size of EVM ingest on the embedded store, against parsing alone in the same run.
 *
 *     node bench/evm-ingest.ts [blocks] [batch rows] [folder]
 *
 * One thread parses and decodes, this one writes, as in the product. The chain is made up first
 * and lies in a file, so that neither network nor generator is measured.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import type { BlockBatch } from '../src/codec/evm/columns.ts'
import { mergeBlocks } from '../src/codec/evm/merge-batches.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest, goodBatchRows } from '../src/indexing/evm/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { statement } from '../src/store/engine/database.ts'
import { openStore } from '../src/store/engine/open.ts'
import { takeLease } from '../src/store/lease.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { metricsTables } from '../src/store/schema/metrics.ts'
import { usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? usualShape.blocks)
const batchRows = Number(process.argv[3] ?? goodBatchRows)
const folder = mkdtempSync(join(process.argv[4] ?? tmpdir(), 'firn-bench-'))
const path = join(folder, 'chain.ndjson')

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

try {
  // In a process of its own, so that the memory measured here is that of ingest alone.
  const script = join(import.meta.dirname, 'evm-ingest-prepare.ts')
  const answer = execFileSync(process.execPath, [script, path, String(blocks)], {
    encoding: 'utf8',
  })
  const { transfers, parseSeconds } = JSON.parse(answer)
  const parseRate = transfers / parseSeconds
  const result = await ingest(transfers)
  report({ blocks, transfers, parseRate: Math.round(parseRate), ...result })
  report({
    ratioToParse: (result.rate / parseRate).toFixed(3),
    // What does not depend on who else uses the machine.
    ratioOfProcessor: (1e6 / parseRate / result.writerMicros).toFixed(3),
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(figures: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`)
}

async function ingest(
  transfers: number,
): Promise<Record<string, unknown> & { rate: number; writerMicros: number }> {
  const tables = [...controlTables, ...evmTables, ...metricsTables]
  const database = await openStore({ store: 'embedded', dataDir: folder }, 'bench', tables, 'write')
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('no lease')
  const writer = new EvmIngest({ database, lease, clock, openRollup })
  const marks: { readonly done: number; readonly at: number }[] = []
  let done = 0
  let waiting: BlockBatch[] = []
  let rows = 0
  let writing = 0
  let peak = 0
  const start = performance.now()
  marks.push({ done, at: start })
  const flush = async (): Promise<void> => {
    const batch = mergeBlocks(waiting)
    waiting = []
    rows = 0
    const before = process.threadCpuUsage()
    await writer.blocks(batch)
    const spent = process.threadCpuUsage(before)
    writing += spent.user + spent.system
    done += batch.transfers.count
    marks.push({ done, at: performance.now() })
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  for await (const batch of decoded()) {
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows >= batchRows) await flush()
  }
  if (waiting.length > 0) await flush()
  const seconds = (performance.now() - start) / 1_000
  await tableSizes(database, transfers)
  await database.close()
  // Its log has moved into the file.
  const { size } = statSync(join(folder, 'bench.sqlite'))
  return {
    rate: Math.round(transfers / seconds),
    writerMicros: Number((writing / transfers).toFixed(2)),
    lastToFirst: tenths(marks),
    bytesPerTransfer: Math.round(size / transfers),
    peakMiB: Math.round(peak / 2 ** 20),
  }
}

async function* decoded(): AsyncGenerator<BlockBatch> {
  const worker = new Worker(new URL('./evm-ingest-decoder.ts', import.meta.url), {
    workerData: { path, blocksPerBatch: 20, window: 100 },
  })
  const arrived: (BlockBatch | undefined)[] = []
  let wake: () => void = () => undefined
  worker.on('message', (batch: BlockBatch | undefined) => {
    arrived.push(batch)
    wake()
  })
  for (;;) {
    if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    const batch = arrived.shift()
    if (batch === undefined) break
    worker.postMessage('more')
    yield batch
  }
}

/** Rate over the last tenth by that over the first. */
function tenths(marks: readonly { readonly done: number; readonly at: number }[]): string {
  const total = marks.at(-1)?.done ?? 0
  const timeAt = (done: number): number => {
    const next = marks.findIndex((mark) => mark.done >= done)
    const [a, b] = [marks[next - 1] ?? marks[0], marks[next]]
    if (a === undefined || b === undefined || b.done === a.done) return b?.at ?? 0
    return a.at + ((b.at - a.at) * (done - a.done)) / (b.done - a.done)
  }
  const first = timeAt(total / 10) - timeAt(0)
  const last = timeAt(total) - timeAt(total * 0.9)
  return (first / last).toFixed(2)
}

async function tableSizes(
  database: Awaited<ReturnType<typeof openStore>>,
  transfers: number,
): Promise<void> {
  const question = statement(
    'select name, sum(pgsize), sum(ncell), sum(unused) from dbstat group by name order by 2 desc limit 20',
  )
  for (const [name, size, cells, unused] of await database.all(question))
    console.log(
      `  ${String(name).padEnd(24)} ${(Number(size) / transfers).toFixed(1)} B, ${cells} cells, ${((Number(unused) / Number(size)) * 100).toFixed(0)} % unused`,
    )
}
