/**
 * One ingest of the chain in a file of lines, in a process of its own: `evm-ingest.ts` starts it
 * with the path, a folder for the store, rows a batch, how blocks are read (`unchecked` or
 * `checked`), and the URL of a PostgreSQL database in place of the embedded store.
 *
 * Prints figures as JSON. Times are processor time.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'

import type { BlockBatch } from '../src/codec/evm/columns/columns.ts'
import { mergeBlocks } from '../src/codec/evm/columns/merge-batches.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { statement } from '../src/store/engine/database.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { metricsTables } from '../src/store/schema/metrics.ts'
import { decodedChain } from './decoded-chain.ts'
import type { DecoderTimes, Reading } from './evm-ingest-decoder.ts'

const [path = '', folder = '', rowsText, reading, url] = process.argv.slice(2)
const batchRows = Number(rowsText)

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

let times: DecoderTimes = { parse: 0, check: 0, decode: 0 }
process.stdout.write(JSON.stringify(await ingest()))

async function ingest(): Promise<object> {
  const tables = [...controlTables, ...evmTables, ...metricsTables]
  const location = { store: url ?? 'embedded', dataDir: folder }
  const database = await openStore(location, 'bench', tables, 'write')
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('no lease')
  const writer = new EvmIngest({ database, lease, clock, openRollup })
  const marks: { readonly done: number; readonly at: number }[] = []
  let done = 0
  let transactions = 0
  let waiting: BlockBatch[] = []
  let rows = 0
  let writing = 0
  let peak = 0
  const start = performance.now()
  const before = process.cpuUsage()
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
    transactions += batch.txs.count
    marks.push({ done, at: performance.now() })
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const work = { path, blocksPerBatch: 20, window: 100, reading: readingOf(reading) }
  for await (const batch of decodedChain(work, (told) => (times = told))) {
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows >= batchRows) await flush()
  }
  if (waiting.length > 0) await flush()
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(before)
  const stored = url === undefined ? await tableSizes(database, done) : []
  const serverBytes = Number(await database.sizeBytes())
  await database.close()
  // Its log has moved into the file.
  const size = url === undefined ? statSync(join(folder, 'bench.sqlite')).size : serverBytes
  return {
    tables: stored,
    numbers: {
      transfers: done,
      transactions,
      rate: done / seconds,
      cpuMicros: (user + system) / done,
      writerMicros: writing / done,
      parseMicros: times.parse / done,
      decodeMicros: times.decode / done,
      checkMicros: times.check / done,
      readMicros: (times.parse + times.check + times.decode) / done,
      lastToFirst: tenths(marks),
      bytesPerTransfer: size / done,
      peakMiB: peak / 2 ** 20,
    },
  }
}

function readingOf(text: string | undefined): Reading {
  if (text === 'unchecked' || text === 'checked') return text
  throw new Error(`unknown reading: ${text}`)
}

/** Rate over the last tenth by that over the first. */
function tenths(marks: readonly { readonly done: number; readonly at: number }[]): number {
  const total = marks.at(-1)?.done ?? 0
  const timeAt = (done: number): number => {
    const next = marks.findIndex((mark) => mark.done >= done)
    const [a, b] = [marks[next - 1] ?? marks[0], marks[next]]
    if (a === undefined || b === undefined || b.done === a.done) return b?.at ?? 0
    return a.at + ((b.at - a.at) * (done - a.done)) / (b.done - a.done)
  }
  const first = timeAt(total / 10) - timeAt(0)
  const last = timeAt(total) - timeAt(total * 0.9)
  return first / last
}

/** Bytes of each table, a line each. */
async function tableSizes(
  database: Awaited<ReturnType<typeof openStore>>,
  transfers: number,
): Promise<readonly string[]> {
  const question = statement(
    'select name, sum(pgsize), sum(ncell), sum(unused) from dbstat group by name order by 2 desc limit 20',
  )
  return (await database.all(question)).map(
    ([name, size, cells, unused]) =>
      `  ${String(name).padEnd(24)} ${(Number(size) / transfers).toFixed(1)} B, ${cells} cells, ${((Number(unused) / Number(size)) * 100).toFixed(0)} % unused`,
  )
}
