/**
 * Cost of frozen history in two containers, on the rows that the real writer made of a made-up
 * chain: (a) a read-only SQLite file with packed rows, (b) the layout of `store/ice`. Decision 0012.
 *
 *     node bench/segments.ts [blocks] [rounds]
 *
 * Compared is processor time of this thread, in turns; bytes are those of the files. Then freezing
 * itself is timed: rows are read, packed, checked and removed; and merging of eight segments.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { mergeBlocks } from '../src/codec/evm/merge-batches.ts'
import type { RawUnit } from '../src/codec/evm/raw.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest, goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { recount } from '../src/indexing/evm/write/recount.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import type { Database, Row, Value } from '../src/store/engine/database.ts'
import { columnNames, type Table } from '../src/store/engine/table.ts'
import { freezeUntil } from '../src/store/ice/freeze.ts'
import { shapesOf } from '../src/store/ice/frozen-shape.ts'
import { iceOf } from '../src/store/ice/ice.ts'
import { mergedAtOnce } from '../src/store/ice/merge-plan.ts'
import { mergeDue } from '../src/store/ice/merge-segments.ts'
import { SegmentWriter } from '../src/store/ice/segment-writer.ts'
import { Segment } from '../src/store/ice/segment.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { eachPage } from '../src/store/sums/pages.ts'
import { ChainText, generator, usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? 2_000)
const rounds = Number(process.argv[3] ?? 3)
const readings = 20_000
const pageRows = 10
/** Room for what is packed. */
const scratch = Buffer.alloc(4_194_304)

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const freezing = chainTables.filter(({ freezes }) => freezes !== undefined)
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const location = { store: 'embedded', dataDir: folder, freeze: { firn: 'bench' } }
try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const database = await openStore(location, 'chain', chainTables, 'write')
  const transfers = await fill(database)
  const rows = new Map<Table, Row[]>()
  for (const table of freezing) rows.set(table, await rowsOf(database, table))
  console.log(`${blocks} blocks, ${transfers} transfers`)
  const spent: Record<string, number[]> = { a: [], b: [] }
  for (let round = 0; round <= rounds; round++) {
    const a = timed(() => writeSqlite(rows))
    const before = cpu()
    const path = await writeSegment(rows)
    const b = cpu() - before
    // The first round warms the code up.
    if (round > 0)
      for (const [name, value] of [
        ['a', a],
        ['b', b],
      ] as const)
        spent[name]?.push(value / transfers)
    if (round < rounds) continue
    const bytes = { a: statSync(join(folder, 'packed.sqlite')).size, b: statSync(path).size }
    print('written, µs of processor a transfer', spent)
    print('bytes a transfer', { a: [bytes.a / transfers], b: [bytes.b / transfers] })
    readAll(rows, path)
    bytesByTable(path, transfers)
  }
  await freezeAll(database, transfers)
  await database.close()
}

function bytesByTable(path: string, transfers: number): void {
  const segment = new Segment(path)
  const parts = segment.index.tables.map(
    ({ name, section }) => `${name} ${(section.length / transfers).toFixed(1)}`,
  )
  console.log(`(b) by table: ${parts.join(', ')}`)
  const filters = segment.index.tables.flatMap(({ name }) => filterBytes(segment, name))
  const bytes = filters.reduce((sum, [, size]) => sum + size, 0)
  const each = filters.map(([name, size]) => `${name} ${(size / transfers).toFixed(2)}`)
  console.log(`of which filters ${(bytes / transfers).toFixed(2)}: ${each.join(', ')}`)
  segment.close()
}

/** Bytes of the filter of a table: all that is behind its root. */
function filterBytes(segment: Segment, name: string): [string, number][] {
  const table = segment.table(name)?.shape
  if (table?.root === undefined || table.filter === undefined) return []
  const { section, root } = table
  return [[name, section.offset + section.length - root.offset - root.length]]
}

/** Freezing and merging as the product does it. */
async function freezeAll(database: Database, transfers: number): Promise<void> {
  const ice = iceOf(database)
  if (ice === undefined) throw new Error('the store freezes')
  const freezingBegan = cpu()
  for (let piece = 1; piece <= mergedAtOnce; piece++) {
    const until = Math.floor((blocks * piece) / mergedAtOnce)
    const subject = { store: 'chain', genesisHash: '', firn: 'bench' }
    await database.transaction((writer) =>
      freezeUntil(
        { writer, ice, tables: chainTables, recount },
        { blocks: until, traces: 0 },
        subject,
      ),
    )
  }
  const freezingUs = cpu() - freezingBegan
  await ice.manifest(database)
  const report = (what: string, us: number): void =>
    console.log(
      `${what}: ${(us / transfers).toFixed(2)} µs of processor a transfer; ` +
        `segments ${(ice.sizeBytes() / transfers).toFixed(1)} bytes a transfer`,
    )
  report(`freezing into ${mergedAtOnce} segments`, freezingUs)
  const mergingBegan = cpu()
  const merged = await mergeDue({
    reader: database,
    ice,
    firn: 'bench',
    pause: async () => undefined,
    commit: (work) => database.transaction(work),
  })
  const merging = cpu() - mergingBegan
  if (merged === undefined) throw new Error('segments are due')
  await ice.manifest(database)
  report('merging them into one', merging)
}

function print(name: string, { a = [], b = [] }: Record<string, number[]>): void {
  const text = (values: readonly number[]): string =>
    values.map((value) => value.toFixed(2)).join('  ')
  const ratio = a.map((value, at) => value / (b[at] ?? value))
  console.log(`${name.padEnd(36)} (a) ${text(a)}   (b) ${text(b)}   a/b ${text(ratio)}`)
}

/** Microseconds of processor. */
function cpu(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function timed(work: () => void): number {
  const before = cpu()
  work()
  return cpu() - before
}

async function fill(database: Database): Promise<number> {
  const lease = await takeLease(database, 'bench', clock)
  if (lease === undefined) throw new Error('no lease')
  const ingest = new EvmIngest({ database, lease, clock, openRollup })
  const chain = new ChainText({ ...usualShape, blocks })
  let waiting: ReturnType<typeof decodeBlocks>[] = []
  let count = 0
  for (let from = 0; from < blocks;) {
    const raws: RawUnit[] = []
    while (raws.length < 20 && from + raws.length < blocks)
      raws.push(JSON.parse(chain.next() ?? ''))
    const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
    from += raws.length
    waiting.push(batch)
    count += batch.txs.count + batch.transfers.count
    if (count < goodBatchRows && from < blocks) continue
    await ingest.blocks(mergeBlocks(waiting))
    waiting = []
    count = 0
  }
  return chain.transfers
}

async function rowsOf(database: Database, table: Table): Promise<Row[]> {
  const all: Row[] = []
  await eachPage(
    database,
    { table, names: columnNames(table), where: 'true', limits: [] },
    (rows) => void all.push(...rows),
  )
  return all
}

async function writeSegment(rows: ReadonlyMap<Table, readonly Row[]>): Promise<string> {
  const writer = new SegmentWriter(join(folder, 'new.draft'))
  for (const [table, own] of rows) {
    const [shape, ...indexes] = shapesOf(table)
    if (shape !== undefined) await writer.table(shape, async (into) => into.add(own))
    for (const index of indexes) {
      const entries = own.map((row) =>
        index.columns.map((name) => row[shape?.columns.indexOf(name) ?? 0] ?? null),
      )
      entries.sort((one, other) => Number(one[0]) - Number(other[0]))
      await writer.table(index, async (into) => into.add(entries))
    }
  }
  const subject = {
    store: 'chain',
    genesisHash: '',
    from: 0,
    until: blocks,
    parentHash: '',
    lastHash: '',
  }
  return join(folder, `${writer.finish({ ...subject, firn: 'bench' }).name}.ice`)
}

/**
 * (a): facts by their key with all else packed; lists by what they are of, with the places of up to
 * 1,000 entries packed as differences.
 */
function writeSqlite(rows: ReadonlyMap<Table, readonly Row[]>): void {
  const path = join(folder, 'packed.sqlite')
  rmSync(path, { force: true })
  const file = new DatabaseSync(path)
  file.exec('pragma page_size = 4096; pragma journal_mode = off; pragma synchronous = off; begin')
  for (const [table, own] of rows) writeTable(file, table, own)
  file.exec('commit')
  file.close()
}

function writeTable(
  file: DatabaseSync,
  { name, key, layout, columns, indexes }: Table,
  rows: readonly Row[],
): void {
  const names = Object.keys(columns)
  if (layout === 'rows') {
    file.exec(`create table ${name} (k integer primary key, body blob)`)
    const insert = file.prepare(`insert into ${name} values (?, ?)`)
    for (const row of rows) insert.run(Number(row[0]), packed(row.slice(1)))
    for (const index of indexes) {
      const at = names.indexOf(index.columns[0] ?? '')
      file.exec(
        `create table ${index.name} (p integer, k integer, primary key (p, k)) without rowid`,
      )
      const entry = file.prepare(`insert into ${index.name} values (?, ?)`)
      const sorted = rows.toSorted((one, other) => Number(one[at]) - Number(other[at]))
      for (const row of sorted) entry.run(Number(row[at]), Number(row[0]))
    }
    return
  }
  const leading = key.length - 1
  const keys = Array.from({ length: leading }, (_, at) => `k${at} integer`).join(', ')
  const primary = [...Array.from({ length: leading }, (_, at) => `k${at}`), 'first'].join(', ')
  file.exec(
    `create table ${name} (${keys === '' ? '' : `${keys}, `}first integer, body blob, primary key (${primary})) without rowid`,
  )
  const insert = file.prepare(
    `insert into ${name} values (${Array.from({ length: leading + 2 }, () => '?').join(', ')})`,
  )
  for (let from = 0; from < rows.length;) {
    const head = (rows[from] ?? []).slice(0, leading)
    let until = from + 1
    while (
      until < rows.length &&
      until - from < 1_000 &&
      head.every((value, at) => rows[until]?.[at] === value)
    )
      until++
    let last = 0
    const entries = rows.slice(from, until).flatMap((row) => {
      const place = Number(row[leading])
      const step = place - last
      last = place
      return [step, ...row.slice(leading + 1)]
    })
    insert.run(...head.map(Number), Number(rows[from]?.[leading]), packed(entries))
    from = until
  }
}

/** Integers by seven bits, one more than they are; 0 is NULL; bytes after their length. */
function packed(values: readonly Value[]): Uint8Array {
  let at = 0
  const integer = (value: number): void => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) scratch[at++] = (rest % 128) + 128
    scratch[at++] = rest
  }
  for (const value of values) {
    if (value === null) integer(0)
    else if (value instanceof Uint8Array) {
      integer(value.length + 1)
      scratch.set(value, at)
      at += value.length
    } else integer(Number(value) + 1)
  }
  return Uint8Array.from(scratch.subarray(0, at))
}

/** Integers of packed bytes: as much as a row of a list costs to unpack. */
function unpackedIntegers(bytes: Uint8Array): number[] {
  const values: number[] = []
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte % 128) * scale
    scale *= 128
    if (byte >= 128) continue
    values.push(value - 1)
    value = 0
    scale = 1
  }
  return values
}

function readAll(rows: ReadonlyMap<Table, readonly Row[]>, path: string): void {
  const of = (name: string): readonly Row[] =>
    [...rows].find(([table]) => table.name === name)?.[1] ?? []
  const facts = of('transfer')
  const entries = of('transfer_by_address')
  const file = new DatabaseSync(join(folder, 'packed.sqlite'), { readOnly: true })
  const fact = file.prepare('select body from transfer where k = ?')
  const list = file.prepare(
    'select first, body from transfer_by_address where k0 = ? and k1 = ? order by first desc',
  )
  const segment = new Segment(path)
  const factTable = segment.table('transfer')
  const listTable = segment.table('transfer_by_address')
  if (factTable === undefined || listTable === undefined) throw new Error('tables are written')
  const drawn = (from: readonly Row[], seed: number): Row[] => {
    const random = generator(seed)
    return Array.from({ length: readings }, () => from[Math.floor(random() * from.length)] ?? [])
  }
  const wantedFacts = drawn(facts, 7)
  const wantedLists = drawn(entries, 8)
  let sum = 0
  const readA = (): void => {
    for (const [pos] of wantedFacts)
      sum += unpackedIntegers(fact.get(Number(pos))?.['body'] as Uint8Array).length
  }
  const readB = (): void => {
    for (const [pos] of wantedFacts)
      sum += factTable.values(factTable.lowerBound([Number(pos)])).length
  }
  const pageA = (): void => {
    for (const [id, standard] of wantedLists) {
      let left = pageRows
      for (const row of list.iterate(Number(id), Number(standard))) {
        left -= unpackedIntegers(row['body'] as Uint8Array).length
        if (left <= 0) break
      }
    }
  }
  const pageB = (): void => {
    for (const [id, standard] of wantedLists) {
      const from = listTable.lowerBound([Number(id), Number(standard)])
      const end = listTable.lowerBound([Number(id), Number(standard) + 1])
      for (let row = end - 1; row >= Math.max(from, end - pageRows); row--)
        sum += Number(listTable.row(row).cell(2))
    }
  }
  const spent = { a: [] as number[], b: [] as number[] }
  const pages = { a: [] as number[], b: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const took = [timed(readA), timed(readB), timed(pageA), timed(pageB)].map((us) => us / readings)
    if (round === 0) continue
    spent.a.push(took[0] ?? 0)
    spent.b.push(took[1] ?? 0)
    pages.a.push(took[2] ?? 0)
    pages.b.push(took[3] ?? 0)
  }
  print('a transfer by its place, µs', spent)
  print(`places of ${pageRows} newest of a list, µs`, pages)
  if (sum === 0) throw new Error('nothing was read')
  file.close()
  segment.close()
}
