/**
 * Kept logs in tables and in segments: bytes of each, processor time to write and to freeze them, and questions by contract
 * and topic, with the directory and with all segments asked.
 *
 *     node bench/kept-logs.ts [blocks] [segments]
 *
 * Segments stay as they are made. Times are of the processor; all answers of tables and segments are compared.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { decodeAllLogs } from '../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../src/codec/evm/raw.ts'
import { fromHex } from '../src/core/bytes.ts'
import { writeLogs } from '../src/indexing/evm/logs/log-rows.ts'
import { Interner } from '../src/indexing/evm/write/intern.ts'
import type { Database, Reader } from '../src/store/engine/database.ts'
import { freezeUntil } from '../src/store/history/freeze.ts'
import { type Manifest, readManifest, writeManifest } from '../src/store/history/manifest.ts'
import { mergeDue } from '../src/store/history/merge-segments.ts'
import { openStore } from '../src/store/open.ts'
import { type LogFilter, logsMatching, topicsOf } from '../src/store/query/evm/logs.ts'
import { logStoreTables } from '../src/store/schema/logs.ts'
import { bucketOf, startStorage } from '../test/support/stores/object-storage.ts'
import { ChainText, usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? 4_000)
const segments = Number(process.argv[3] ?? 100)
const asked = 200
const range = { from: 0, until: Number.MAX_SAFE_INTEGER, order: 'desc' } as const

type Written = { readonly store: Database; readonly interner: Interner; seconds: number }

const dataDir = mkdtempSync(join(tmpdir(), 'firn-kept-logs-'))
const storage = await startStorage()
const folder = join(dataDir, 'cache')
// No two segments fit into a file.
const bucket = bucketOf(storage, { folder, fileBytes: 250_000, mostOpen: 4_096 })
const open = async (name: string, freezes: boolean): Promise<Written> => {
  const place = { store: 'embedded', dataDir }
  const location = freezes ? { ...place, segments: folder, bucket, freeze: {} } : place
  const store = await openStore(location, name, logStoreTables, 'write')
  return { store, interner: new Interner(), seconds: 0 }
}
const tables = await open('tables', false)
const frozen = await open('frozen', true)
let freezing = 0
let directory = 0
let logs = 0
const chain = new ChainText({ ...usualShape, blocks })
const perSegment = Math.ceil(blocks / segments)
for (let from = 0; from < blocks; from += perSegment) {
  const units: RawUnit[] = []
  for (let at = from; at < Math.min(from + perSegment, blocks); at++)
    units.push(JSON.parse(chain.next() ?? '') as RawUnit)
  const batch = decodeAllLogs(from, units)
  logs += batch.logs.count
  for (const target of [tables, frozen])
    target.seconds += await secondsOf(() =>
      target.store.transaction((writer) => writeLogs(writer, batch, target.interner)),
    )
  const { store } = frozen
  const { history } = store
  if (history === undefined) throw new Error('it freezes')
  freezing += await secondsOf(() =>
    store.transaction((writer) => freezeUntil({ writer, history }, { logs: batch.until })),
  )
  const merging = { reader: store, history, pause: async () => {}, commit: store.transaction }
  directory += await secondsOf(async () => {
    while ((await mergeDue(merging)) !== undefined);
  })
}
await tables.store.pace('follow')
const manifest = await readManifest(frozen.store)
const bytes = statSync(join(dataDir, 'tables.sqlite')).size
say('logs, segments, files of the directory', [
  logs,
  manifest.segments.length,
  manifest.directory.length,
])
say('bytes a log in tables, in segments, of the directory', [
  bytes / logs,
  bytesIn(manifest.segments) / logs,
  bytesIn(manifest.directory) / logs,
])
say(
  'µs a log to write, to write where it freezes, to freeze, for the directory',
  [tables.seconds, frozen.seconds, freezing, directory].map((each) => (each / logs) * 1e6),
)

const { rows } = await logsMatching(tables.store, { filter: { topics: [] }, range, limit: 9_000 })
const contracts = [...new Set(rows.map(({ address }) => address))]
const receivers = [...new Set(rows.flatMap((row) => topicsOf(row)[2] ?? []))]
const filterOf = (address: string | undefined, receiver: string | undefined): LogFilter => ({
  addresses: address === undefined ? undefined : [fromHex(address)],
  topics: [undefined, undefined, receiver === undefined ? undefined : [fromHex(receiver)]],
})
const nowhere = `0x${'ab'.repeat(32)}`
const cases: Readonly<Record<string, (at: number) => LogFilter>> = {
  'a busy contract': (at) => filterOf(contracts[at % 5], undefined),
  'a rare contract': (at) => filterOf(contracts.at(-1 - (at % 100)), undefined),
  'a busy receiver': (at) => filterOf(undefined, receivers[at % 5]),
  'a rare receiver': (at) => filterOf(undefined, receivers.at(-1 - (at % 200))),
  'a contract and a receiver': (at) => filterOf(contracts[at % 5], receivers.at(-1 - (at % 200))),
  'a topic that is nowhere': () => filterOf(undefined, nowhere),
}
console.log('µs of 25 logs: tables, segments with the directory, all segments')
const without = await openStore(
  { store: 'embedded', dataDir, segments: folder, bucket, freeze: {} },
  'frozen',
  logStoreTables,
  'read',
)
const all = new Map<string, number>()
const answers = new Map<string, string>()
const timed = async (store: Reader): Promise<void> => {
  for (const [title, filter] of Object.entries(cases)) {
    const found: unknown[] = []
    for (let at = 0; at < asked; at++)
      found.push(await logsMatching(store, { filter: filter(at), range, limit: 25 }))
    const text = JSON.stringify(found)
    if ((answers.get(title) ?? text) !== text) throw new Error(`answers differ: ${title}`)
    answers.set(title, text)
    const seconds = await secondsOf(async () => {
      for (let at = 0; at < asked; at++)
        await logsMatching(store, { filter: filter(at), range, limit: 25 })
    })
    all.set(title, (seconds / asked) * 1e6)
  }
}
const columns: (readonly number[])[] = []
await timed(tables.store)
columns.push([...all.values()])
await timed(without)
columns.push([...all.values()])
await frozen.store.transaction((writer) =>
  writeManifest(writer, manifest, { ...manifest, directory: [] }),
)
await timed(without)
columns.push([...all.values()])
for (const [at, title] of [...all.keys()].entries())
  say(
    title,
    columns.map((each) => each[at] ?? 0),
  )
for (const store of [tables.store, frozen.store, without]) await store.close()
storage.close()
rmSync(dataDir, { recursive: true, force: true })

function say(title: string, figures: readonly number[]): void {
  const shown = figures.map((each) => each.toFixed(each < 100 ? 1 : 0).padStart(9))
  console.log(`${title.padEnd(76)} ${shown.join(' ')}`)
}

function bytesIn(files: Manifest['segments']): number {
  return files.reduce((sum, each) => sum + (each.bytes ?? 0), 0)
}

/** Seconds of the processor. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
