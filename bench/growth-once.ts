/**
 * One backfill of a made-up chain in a process of its own, which `growth.ts` starts with a way of
 * writing, the number of blocks, the kind of chain, whether blocks are checked, a folder, and the bucket of its history,
 * where it has one.
 *
 * Prints figures as JSON. Bytes are those that this process handed to the disk.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../src/codec/evm/columns/columns.ts'
import { mergeBlocks } from '../src/codec/evm/columns/merge-batches.ts'
import type { Clock } from '../src/core/world.ts'
import { defaultRows } from '../src/indexing/evm/freeze/due-segments.ts'
import { freezeNext } from '../src/indexing/evm/freeze/freeze-stream.ts'
import { EvmIngest, goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import type { Database } from '../src/store/engine/database.ts'
import { mergeDue } from '../src/store/history/merge-segments.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { historyAt } from './bucket-history.ts'
import { decodedChain } from './decoded-chain.ts'
import { plainShape, usualShape } from './evm-chain.ts'
import type { DecoderTimes } from './evm-ingest-decoder.ts'
import { peakMib, writtenBytes } from './process-figures.ts'

const [way = 'tables', blocksText, kind, checks, folder = '', bucketUrl] = process.argv.slice(2)
const blocks = Number(blocksText)
const isFrozen = !way.endsWith('tables')
const isAtOnce = way.endsWith('at-once')
/** As file systems do it: so much is compressed at once, and lies in whole sectors. */
const compressedAtOnce = 131_072
const sectorBytes = 4_096

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const freeze = {}

/** Where a run stood after a commit. */
type Mark = { readonly done: number; readonly written: number; readonly cpu: number }

process.stdout.write(JSON.stringify(await backfill()))

async function backfill(): Promise<object> {
  const server = way.startsWith('postgres') ? await startPostgres() : undefined
  const store = server?.url ?? 'embedded'
  const history = bucketUrl === undefined ? {} : historyAt(bucketUrl, join(folder, 'history-cache'))
  const location = { store, dataDir: folder, ...(isFrozen ? { freeze } : {}), ...history }
  const database = await openStore(location, 'growth', chainTables, 'write')
  const ingest = await ingestOf(database)
  const marks: Mark[] = []
  let times: DecoderTimes = { parse: 0, check: 0, decode: 0 }
  let done = 0
  let waiting: BlockBatch[] = []
  let rows = 0
  const mark = (): void => {
    const { user, system } = process.threadCpuUsage()
    marks.push({ done, written: writtenBytes(process.pid), cpu: user + system })
  }
  const flush = async (): Promise<void> => {
    const batch = mergeBlocks(waiting)
    waiting = []
    rows = 0
    await ingest.blocks(batch)
    done += batch.transfers.count
    await settle(database)
    mark()
  }
  mark()
  const shape = { ...(kind === 'plain' ? plainShape : usualShape), blocks }
  const work = {
    path: shape,
    blocksPerBatch: 20,
    window: 100,
    reading: checks === 'on' ? ('checked' as const) : ('unchecked' as const),
  }
  for await (const batch of decodedChain(work, (told) => (times = told))) {
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows >= goodBatchRows) await flush()
  }
  if (waiting.length > 0) await flush()
  await database.transaction(async (writer) => database.history?.folder.removeOverdue(writer))
  // Its log is folded into the file.
  await database.pace('follow')
  mark()
  const kept = Number(await database.sizeBytes())
  await database.close()
  await server?.stop()
  return figures(marks, times, { kept, compressed: compressedBytes() })
}

async function ingestOf(database: Database): Promise<EvmIngest> {
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('no lease')
  const history = database.history
  const limits = { leastRows: goodBatchRows / 2, mostRowsBefore: defaultRows, rowsInTables: 0 }
  const freezing = history === undefined || !isAtOnce ? {} : { freezing: { history, ...limits } }
  return new EvmIngest({ database, lease, clock, openRollup, ...freezing })
}

/** Freezes and merges whatever is due, as the streams beside a writer do. */
async function settle(database: Database): Promise<void> {
  const history = database.history
  if (history === undefined) return
  const commit: Parameters<typeof mergeDue>[0]['commit'] = (work) => database.transaction(work)
  const chain = { key: 'growth', database, clock, log: silentLog, commit }
  while (!isAtOnce && (await freezeNext(chain, freeze)));
  const pause = async (): Promise<void> => undefined
  while ((await mergeDue({ reader: database, history, pause, commit })) !== undefined);
}

/** Bytes of all SQLite files on a file system that compresses. */
function compressedBytes(): number {
  let bytes = 0
  const params = { [constants.ZSTD_c_compressionLevel]: 3 }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.sqlite')) continue
    const file = readFileSync(join(folder, name))
    for (let from = 0; from < file.length; from += compressedAtOnce) {
      const piece = file.subarray(from, from + compressedAtOnce)
      const { length } = zstdCompressSync(piece, { params })
      bytes += Math.ceil(Math.min(length, piece.length) / sectorBytes) * sectorBytes
    }
  }
  return bytes
}

function figures(
  marks: readonly Mark[],
  times: DecoderTimes,
  { kept, compressed }: { readonly kept: number; readonly compressed: number },
): object {
  const last = marks.at(-1)
  const first = marks[0]
  if (first === undefined || last === undefined) throw new Error('nothing was read')
  const { done } = last
  const at = (share: number): Mark => marks.find((each) => each.done >= done * share) ?? last
  const before = (share: number): Mark =>
    marks.findLast((each) => each.done <= done * share) ?? first
  const written = (from: Mark, to: Mark): number =>
    (to.written - from.written) / Math.max(1, to.done - from.done)
  const middle = at(0.5)
  const parse = times.parse / done
  const secondHalf = (last.cpu - middle.cpu) / (done - middle.done)
  return {
    transfers: done,
    'bytes written': written(first, last),
    '… first tenth': written(first, at(0.1)),
    '… last tenth, log and merges finished': written(before(0.9), last),
    'bytes kept': kept / done,
    '… compressed, without PostgreSQL': compressed / done,
    'µs of the writer': (last.cpu - first.cpu) / done,
    'µs with decoding': (last.cpu - first.cpu + times.parse + times.decode) / done,
    'µs of checks': times.check / done,
    'parsing / second half': parse / secondHalf,
    'peak MiB, with the generator': peakMib(process.pid),
  }
}
