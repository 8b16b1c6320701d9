/**
 * Moves the oldest history of a store from its tables into a segment, and back.
 *
 * Both happen in the transaction of the caller, who holds the lease: the segment is whole and on disk
 * before the row that names it is committed together with the removal of its rows. What a killed
 * process leaves is a file that no manifest names, which the next writer removes. A long history takes
 * minutes: between some thousand rows the thread does whatever else it has to.
 */

import { setImmediate as turn } from 'node:timers/promises'

import { toHex } from '../../core/bytes.ts'
import { assert, Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Columns, type Row, statement, type Value, type Writer } from '../engine/database.ts'
import {
  columnNames,
  type HistoryStage,
  historyStages,
  stageOf,
  type Table,
} from '../engine/table.ts'
import { placesPerBlock } from '../schema/places.ts'
import { eachPage } from '../sums/pages.ts'
import { type FrozenShape, placeColumn, shapesOf } from './frozen-shape.ts'
import type { Ice } from './ice.ts'
import { LeavingRows } from './leaving-rows.ts'
import {
  frozenUntil,
  type Manifest,
  type ManifestSegment,
  segmentsOf,
  writeManifest,
} from './manifest.ts'
import type { SegmentFormat } from './segment-index.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { Segment } from './segment.ts'

/** A store whose history freezes. */
export type Freezing = {
  readonly writer: Writer
  readonly ice: Ice
  readonly tables: readonly Table[]
  /**
   * Fills the tables that do not freeze `whole`, which are empty, for the blocks in tables from height
   * `from` on: their amounts count from there.
   */
  readonly recount: (writer: Writer, from: number) => Promise<void>
}

/** Origin of a segment, as it stands in the segment. */
export type FreezeSubject = {
  readonly store: string
  /** `0x` hex. */
  readonly genesisHash: string
  /** Version of the product. */
  readonly firn: string
  /** Format of the segment; absent, it is the newest. */
  readonly format?: SegmentFormat
}

/** Heights up to which the stages of a store freeze. */
export type FreezeHeights = Readonly<Record<HistoryStage, number>>

const firstInTables = statement('select min(height) from block', { rowsOnly: true })
const firstHeight = statement('select min(height) from block')
const hashAt = statement('select hash from block where height = ?')

/** Rows moved at once. */
const rowsAtOnce = 8_192

/**
 * Freezes the history that is in tables below the heights `until`; returns the new segments. Traces that
 * stay in tables must be of blocks that stay there, too: a statement joins rows of tables to each other.
 * The transaction of `writer` has changed no row of history before. The caller rolls it back when this
 * throws: `rows-altered` where what the segment holds is not what was written into the tables once, by the
 * sums that were kept of it, `store-full`, `store-failed`.
 */
export async function freezeUntil(
  freezing: Freezing,
  until: FreezeHeights,
  subject: FreezeSubject,
): Promise<ManifestSegment[]> {
  const made: ManifestSegment[] = []
  for (const stage of historyStages) {
    const piece = { stage, until: until[stage], rows: 'stored' } as const
    const segment = await freezePiece(freezing, piece, subject)
    if (segment !== undefined) made.push(segment)
  }
  return made
}

/** History of one stage in tables, below a height. */
type FreezePiece = {
  readonly stage: HistoryStage
  readonly until: number
  /** `new`: this transaction wrote them, and no sums are stored of them yet. */
  readonly rows: 'stored' | 'new'
}

/**
 * Freezes the history of one stage below a height, as {@link freezeUntil} does, of rows that this
 * transaction wrote. Returns the new segment; `undefined` where nothing in tables is below the height.
 * Throws `store-full`, `store-failed`.
 */
export function freezeStage(
  freezing: Freezing,
  { stage, until }: { readonly stage: HistoryStage; readonly until: number },
  subject: FreezeSubject,
): Promise<ManifestSegment | undefined> {
  return freezePiece(freezing, { stage, until, rows: 'new' }, subject)
}

async function freezePiece(
  freezing: Freezing,
  piece: FreezePiece,
  subject: FreezeSubject,
): Promise<ManifestSegment | undefined> {
  const { writer, ice, recount } = freezing
  const { stage, until } = piece
  const manifest = await ice.manifest(writer)
  const from = await nextFrom(writer, manifest, stage)
  if (from === undefined || from >= until) return undefined
  if (stage === 'blocks') {
    const first = heightIn(await writer.get(firstInTables))
    if (first === undefined) return undefined
    assert(first === from, 'tables begin where segments end')
  }
  const tables = freezing.tables.filter((table) => stageOf(table) === stage)
  // Files that a process left which was killed before its commit.
  ice.removeOrphans(manifest)
  const name = await packTables(freezing, tables, { ...subject, from, until })
  const segment = ice.segment(name)
  try {
    for (const table of tables) await leaveTable(writer, segment, { ...piece, table })
  } catch (error) {
    ice.discard(name)
    throw error
  }
  const entry = { stage, from, until, name, tier: 0 }
  await writeManifest(writer, [...manifest.segments, entry])
  // Balances and holders depend on blocks alone.
  if (stage === 'blocks') await recount(writer, until)
  return entry
}

/** Writes the rows of tables below `until` as a segment; returns its name. */
async function packTables(
  { writer, ice }: Freezing,
  tables: readonly Table[],
  about: FreezeSubject & { readonly from: number; readonly until: number },
): Promise<string> {
  const { from, until } = about
  const draft = ice.draft()
  const made = new SegmentWriter(draft, about.format)
  try {
    for (const table of tables) await packTable(writer, made, { table, until })
    const parentHash = await hashOf(writer, from - 1)
    const lastHash = await hashOf(writer, until - 1)
    return made.finish({ ...about, parentHash, lastHash }).name
  } catch (error) {
    made.abandon()
    throw error
  } finally {
    ice.drafted(draft)
  }
}

/** First height of the next segment of a stage; `undefined` of a store without blocks. */
export async function nextFrom(
  writer: Writer,
  manifest: Manifest,
  stage: HistoryStage,
): Promise<number | undefined> {
  return segmentsOf(manifest, stage).at(-1)?.until ?? heightIn(await writer.get(firstHeight))
}

function heightIn(row: Row | undefined): number | undefined {
  const value = row?.[0]
  return typeof value === 'number' ? value : undefined
}

type Range = { readonly table: Table; readonly until: number }

async function packTable(
  writer: Writer,
  made: SegmentWriter,
  { table, until }: Range,
): Promise<void> {
  const [own, ...indexes] = shapesOf(table)
  assert(own !== undefined, 'a table has its own order')
  const column = placeColumn(table)
  const scale = column === 'pos' ? placesPerBlock : 1
  const indexed = indexes.map((shape) => ({ shape, rows: [] as Row[] }))
  await made.table(own, async (into) => {
    const pages = {
      table,
      names: columnNames(table),
      where: `${column} < ?`,
      limits: [until * scale],
    }
    const isWhole = await eachPage(writer, pages, async (rows) => {
      into.add(rows)
      for (const { shape, rows: entries } of indexed)
        for (const row of rows) entries.push(indexRow(own, shape, row))
      await turn()
    })
    if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  })
  for (const { shape, rows } of indexed) {
    rows.sort(byKey)
    await made.table(shape, async (into) => into.add(rows))
  }
}

function indexRow(own: FrozenShape, shape: FrozenShape, row: Row): Row {
  return shape.columns.map((name) => itemAt(row, own.columns.indexOf(name)))
}

function byKey(one: Row, other: Row): number {
  for (const [at, value] of one.entries()) {
    const difference = Number(value) - Number(itemAt(other, at))
    if (difference !== 0) return difference
  }
  return 0
}

/** Takes rows that `segment` holds from their table, which must be those that were written into it. */
async function leaveTable(
  writer: Writer,
  segment: Segment,
  { table, until, rows }: FreezePiece & { readonly table: Table },
): Promise<void> {
  const leaving = rows === 'stored' ? new LeavingRows(table, until) : undefined
  const isWhole = table.freezes === 'whole'
  const frozen = segment.table(table.name)
  const count = frozen === undefined || (leaving === undefined && !isWhole) ? 0 : frozen.rows
  for (let from = 0; from < count; from += rowsAtOnce) {
    const some = frozen?.valuesOf(from, Math.min(from + rowsAtOnce, count)) ?? []
    const columns = columnsOf(table, some)
    leaving?.add(columns, some.length)
    if (isWhole) await writer.remove(table, keysOf(table, columns), columns)
    await turn()
  }
  await leaving?.check(writer)
  if (!isWhole) await writer.clear(table)
}

function keysOf(table: Table, columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => table.key.includes(name)))
}

function columnsOf(table: Table, rows: readonly Row[]): Columns {
  const columns: Record<string, Value[]> = {}
  for (const [at, name] of columnNames(table).entries())
    columns[name] = rows.map((row) => itemAt(row, at))
  return columns
}

/** Hash of a stored block, hex; empty where there is none. */
export async function hashOf(writer: Writer, height: number): Promise<string> {
  const hash = (await writer.get(hashAt, [height]))?.[0]
  return hash instanceof Uint8Array ? toHex(hash) : ''
}

/**
 * Takes history back into tables, so that nothing from height `from` on is frozen. Returns whether
 * anything was. Cost: every row of the segments that reach beyond `from` is written again. The files
 * stay until the next freezing, for questions that still read them.
 */
export async function thawFrom(freezing: Freezing, from: number): Promise<boolean> {
  const { writer, ice, tables, recount } = freezing
  const { segments } = await ice.manifest(writer)
  const blocks = segmentsOf({ segments }, 'blocks').filter(({ until }) => until <= from)
  const end = frozenUntil({ segments: blocks }, 'blocks')
  const traces = segmentsOf({ segments }, 'traces').filter(({ until }) => until <= end)
  const thawed = segments.filter((each) => !blocks.includes(each) && !traces.includes(each))
  const oldest = thawed.find(({ stage }) => stage === 'blocks')
  const oldestTraces = thawed.find(({ stage }) => stage === 'traces')
  if (oldest === undefined && oldestTraces === undefined) return false
  await writeManifest(writer, [...blocks, ...traces])
  for (const { name, stage } of thawed) {
    const segment = ice.segment(name)
    for (const table of tables)
      if (stageOf(table) === stage && table.freezes === 'whole')
        await restore(writer, segment, table)
  }
  if (oldest !== undefined) {
    for (const table of tables)
      if (stageOf(table) === 'blocks' && table.freezes !== 'whole') await writer.clear(table)
    await recount(writer, oldest.from)
  }
  if (oldestTraces !== undefined && oldestTraces.from < end) {
    // A segment of traces reached beyond the blocks that stay frozen: their traces freeze again.
    const until = Math.min(end, frozenUntil({ segments }, 'traces'))
    const { store, genesisHash, firn } = ice.segment(oldestTraces.name).index
    await freezeStage(freezing, { stage: 'traces', until }, { store, genesisHash, firn })
  }
  return true
}

async function restore(writer: Writer, segment: Segment, table: Table): Promise<void> {
  const frozen = segment.table(table.name)
  if (frozen === undefined) return
  for (let from = 0; from < frozen.rows; from += rowsAtOnce) {
    const rows = frozen.valuesOf(from, Math.min(from + rowsAtOnce, frozen.rows))
    await writer.insert(table, columnsOf(table, rows))
  }
}
