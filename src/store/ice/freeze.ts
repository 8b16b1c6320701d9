/**
 * Moves the oldest history of a store from its tables into a segment, and back.
 *
 * Both happen in the transaction of the caller, who holds the lease: the segment is whole and on disk
 * before the row that names it is committed together with the removal of its rows. What a killed
 * process leaves is a file that no manifest names, which the next writer removes.
 */

import { toHex } from '../../core/bytes.ts'
import { assert, Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Columns, type Row, statement, type Value, type Writer } from '../engine/database.ts'
import { columnNames, type Table } from '../engine/table.ts'
import { placesPerBlock } from '../schema/places.ts'
import { eachPage } from '../sums/pages.ts'
import { type FrozenShape, placeColumn, shapesOf } from './frozen-shape.ts'
import type { Ice } from './ice.ts'
import { frozenUntil, type ManifestSegment, writeManifest } from './manifest.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { Segment } from './segment.ts'

/** A store whose history freezes. */
export type Freezing = {
  readonly writer: Writer
  readonly ice: Ice
  readonly tables: readonly Table[]
  /**
   * Adds the rows of tables that do not freeze `whole`, which have none, for the blocks in tables from
   * height `from` on: they count from there.
   */
  readonly recount: (writer: Writer, from: number) => Promise<void>
}

/** Origin of a segment, as the segment says it. */
export type FreezeSubject = {
  readonly store: string
  /** `0x` hex. */
  readonly genesisHash: string
  /** Version of the product. */
  readonly firn: string
}

const firstHeight = statement('select min(height) from block', { rowsOnly: true })
const hashAt = statement('select hash from block where height = ?')

/** Rows moved at once. */
const rowsAtOnce = 8_192

/**
 * Freezes all history below height `until` that is in tables; every stage must have committed it.
 * Returns the new segment, `undefined` where there is nothing. The transaction of `writer` must be
 * rolled back when this throws: `store-full`, `store-failed`.
 */
export async function freezeUntil(
  freezing: Freezing,
  until: number,
  subject: FreezeSubject,
): Promise<ManifestSegment | undefined> {
  const { writer, ice, tables, recount } = freezing
  const manifest = await ice.manifest(writer)
  const first = (await writer.get(firstHeight))?.[0]
  if (typeof first !== 'number' || first >= until) return undefined
  const from = manifest.segments.length === 0 ? first : frozenUntil(manifest)
  assert(from === first, 'tables begin where segments end')
  // What a process left that was killed before its commit.
  ice.removeOrphans(manifest)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  let name: string
  try {
    for (const table of tables)
      if (table.freezes !== undefined) await packTable(writer, made, { table, until })
    const parentHash = await hashOf(writer, from - 1)
    const lastHash = await hashOf(writer, until - 1)
    name = made.finish({ ...subject, from, until, parentHash, lastHash }).name
  } catch (error) {
    made.abandon()
    throw error
  } finally {
    ice.drafted(draft)
  }
  const segment = ice.segment(name)
  for (const table of tables) {
    if (table.freezes === 'whole') await removeFrozen(writer, segment, table)
    else if (table.freezes !== undefined) await writer.clear(table)
  }
  const entry = { from, until, name, tier: 0 }
  await writeManifest(writer, [...manifest.segments, entry])
  await recount(writer, until)
  return entry
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
    const isWhole = await eachPage(writer, pages, (rows) => {
      into.add(rows)
      for (const { shape, rows: entries } of indexed)
        for (const row of rows) entries.push(indexRow(own, shape, row))
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

async function removeFrozen(writer: Writer, segment: Segment, table: Table): Promise<void> {
  const frozen = segment.table(table.name)
  if (frozen === undefined) return
  for (let from = 0; from < frozen.rows; from += rowsAtOnce) {
    const rows = frozen.valuesOf(from, Math.min(from + rowsAtOnce, frozen.rows))
    await removeRows(writer, table, rows)
  }
}

async function removeRows(writer: Writer, table: Table, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce)
    const all = columnsOf(table, some)
    const keys = Object.fromEntries(
      Object.entries(all).filter(([name]) => table.key.includes(name)),
    )
    await writer.remove(table, keys, all)
  }
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
 * stay until the next freezing, for those who still read them.
 */
export async function thawFrom(freezing: Freezing, from: number): Promise<boolean> {
  const { writer, ice, tables, recount } = freezing
  const manifest = await ice.manifest(writer)
  const kept = manifest.segments.filter(({ until }) => until <= from)
  const thawed = manifest.segments.slice(kept.length)
  const [oldest] = thawed
  if (oldest === undefined) return false
  await writeManifest(writer, kept)
  for (const { name } of thawed) {
    const segment = ice.segment(name)
    for (const table of tables) if (table.freezes === 'whole') await restore(writer, segment, table)
  }
  for (const table of tables)
    if (table.freezes !== undefined && table.freezes !== 'whole') await writer.clear(table)
  await recount(writer, oldest.from)
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
