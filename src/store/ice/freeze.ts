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
import { frozenUntil, type Manifest, type ManifestSegment, writeManifest } from './manifest.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { Segment } from './segment.ts'

/** A store whose history freezes. */
export type Freezing = {
  readonly writer: Writer
  readonly ice: Ice
  readonly tables: readonly Table[]
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
  const { writer, ice, tables } = freezing
  const manifest = await ice.manifest(writer)
  const first = (await writer.get(firstHeight))?.[0]
  if (typeof first !== 'number' || first >= until) return undefined
  const from = manifest.segments.length === 0 ? first : frozenUntil(manifest)
  assert(from === first, 'tables begin where segments end')
  // What a process left that was killed before its commit.
  ice.removeOrphans(manifest)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  const passed: Passed[] = []
  let name: string
  try {
    for (const table of tables)
      if (table.freezes !== undefined)
        passed.push(await packTable(writer, made, { table, from, until }))
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
  for (const { table, superseded } of passed) {
    if (superseded === undefined) await removeFrozen(writer, segment, table)
    else await removeRows(writer, table, superseded)
  }
  const entry = { from, until, name, tier: 0 }
  await writeManifest(writer, [...manifest.segments, entry])
  return entry
}

/** Rows of a table that are in a segment now, where these are not all that lie below its end. */
type Passed = { readonly table: Table; readonly superseded: readonly Row[] | undefined }

type Range = { readonly table: Table; readonly from: number; readonly until: number }

async function packTable(
  writer: Writer,
  made: SegmentWriter,
  { table, from, until }: Range,
): Promise<Passed> {
  const [own, ...indexes] = shapesOf(table)
  assert(own !== undefined, 'a table has its own order')
  const column = placeColumn(table)
  const scale = column === 'pos' ? placesPerBlock : 1
  const at = own.columns.indexOf(column)
  const indexed = indexes.map((shape) => ({ shape, rows: [] as Row[] }))
  const newest = table.freezes === 'but newest' ? new NewestRows(table) : undefined
  await made.table(own, async (into) => {
    const pages = {
      table,
      names: columnNames(table),
      where: `${column} < ?`,
      limits: [until * scale],
    }
    const isWhole = await eachPage(writer, pages, (rows) => {
      newest?.see(rows)
      const inside = rows.filter((row) => Number(itemAt(row, at)) >= from * scale)
      into.add(inside)
      for (const { shape, rows: entries } of indexed)
        for (const row of inside) entries.push(indexRow(own, shape, row))
    })
    if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  })
  for (const { shape, rows } of indexed) {
    rows.sort(byKey)
    await made.table(shape, async (into) => into.add(rows))
  }
  return { table, superseded: newest?.superseded }
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

/** Finds rows that a later one of the same key follows; rows come in order. */
class NewestRows {
  readonly superseded: Row[] = []
  readonly #length: number
  #last: Row | undefined

  constructor({ key }: Table) {
    this.#length = key.length - 1
  }

  see(rows: readonly Row[]): void {
    for (const row of rows) {
      const last = this.#last
      if (last !== undefined && this.#isSame(last, row)) this.superseded.push(last)
      this.#last = row
    }
  }

  #isSame(one: Row, other: Row): boolean {
    for (let at = 0; at < this.#length; at++) if (one[at] !== other[at]) return false
    return true
  }
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
  const { writer, ice, tables } = freezing
  const manifest = await ice.manifest(writer)
  const kept = manifest.segments.filter(({ until }) => until <= from)
  const thawed = manifest.segments.slice(kept.length)
  if (thawed.length === 0) return false
  await writeManifest(writer, kept)
  for (const { name } of thawed) {
    const segment = ice.segment(name)
    for (const table of tables)
      if (table.freezes !== undefined) await restore(freezing, segment, table)
  }
  return true
}

async function restore({ writer, ice }: Freezing, segment: Segment, table: Table): Promise<void> {
  const frozen = segment.table(table.name)
  if (frozen === undefined) return
  const older = table.freezes === 'but newest' ? await ice.manifest(writer) : undefined
  for (let from = 0; from < frozen.rows; from += rowsAtOnce) {
    const rows = frozen.valuesOf(from, Math.min(from + rowsAtOnce, frozen.rows))
    if (older === undefined) await writer.insert(table, columnsOf(table, rows))
    else {
      await writer.insertNew(table, columnsOf(table, rows))
      await writer.insertNew(table, columnsOf(table, newestIn(ice, older, { table, rows })))
    }
  }
}

/** The newest rows in segments of the keys of `rows`, each once. */
function newestIn(
  ice: Ice,
  manifest: Manifest,
  { table, rows }: { readonly table: Table; readonly rows: readonly Row[] },
): Row[] {
  const length = table.key.length - 1
  const found = new Map<string, Row>()
  for (const row of rows) {
    const key = row.slice(0, length).map(Number)
    const text = key.join(' ')
    if (found.has(text)) continue
    for (const { name } of manifest.segments.toReversed()) {
      const frozen = ice.segment(name).table(table.name)
      if (frozen === undefined) continue
      const next = [...key.slice(0, -1), itemAt(key, key.length - 1) + 1]
      const end = frozen.lowerBound(next)
      const last = end === 0 ? undefined : frozen.values(end - 1)
      if (last === undefined || !key.every((value, at) => last[at] === value)) continue
      found.set(text, last)
      break
    }
  }
  return [...found.values()]
}
