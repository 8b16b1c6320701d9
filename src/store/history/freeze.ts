/**
 * Moves the oldest history of a store from its tables into a segment, and back.
 *
 * Both happen in the transaction of the caller, who holds the lease: the segment is whole and on disk
 * before the row that names it is committed together with the removal of its rows. What a killed process or
 * a failed commit leaves is a file that no manifest names: another writer may have placed and named it since,
 * so it stays here, and is removed when nobody has named it for minutes. A long history takes
 * minutes: between some thousand rows the thread does whatever else it has to.
 */

import { assert } from '../../core/fault.ts'
import type { Columns, Writer } from '../engine/database.ts'
import { firstHeight, firstHeightInTables } from '../query/evm/heights.ts'
import { type HistoryStage, historyStages, type Table } from '../schema/table.ts'
import { eachColumns, everyRow } from '../sums/pages.ts'
import type { History } from './history.ts'
import { LeavingRows } from './leaving-rows.ts'
import { frozenUntil, type ManifestSegment, segmentsOf, writeManifest } from './manifest.ts'
import { placeColumn, placesPerHeight, type SegmentFile, SegmentWriter } from './segment-file.ts'
import type { SegmentSchema } from './segment-schema.ts'

/** A store whose history freezes. */
export type Freezing = {
  readonly writer: Writer
  readonly history: History
  /**
   * Fills the tables that do not freeze `whole`, which are empty, for the blocks in tables from height
   * `from` on: their amounts count from there. Absent for a store without blocks.
   */
  readonly recount?: ((writer: Writer, from: number) => Promise<void>) | undefined
}

/** Heights up to which the stages of a store freeze; those that it has not are absent. */
export type FreezeHeights = Readonly<Partial<Record<HistoryStage, number>>>

/**
 * Freezes the history that is in tables below the heights `until`; returns the new segments. Traces that
 * stay in tables must be of blocks that stay there, too. The transaction of `writer` has changed no row of
 * history before. The caller rolls it back when this throws: `rows-altered` where what the segment holds is
 * not what was written into the tables once, by the sums that were kept of it, `store-full`, `store-failed`.
 */
export async function freezeUntil(
  freezing: Freezing,
  until: FreezeHeights,
): Promise<ManifestSegment[]> {
  const made: ManifestSegment[] = []
  for (const stage of historyStages) {
    const end = until[stage]
    const segment = end && (await freezePiece(freezing, { stage, until: end, rows: 'stored' }))
    if (segment) made.push(segment)
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
): Promise<ManifestSegment | undefined> {
  return freezePiece(freezing, { stage, until, rows: 'new' })
}

async function freezePiece(
  freezing: Freezing,
  piece: FreezePiece,
): Promise<ManifestSegment | undefined> {
  const { writer, history, recount } = freezing
  const { stage, until } = piece
  const from = await nextFrom(freezing, stage)
  if (from === undefined || from >= until) return undefined
  if (stage === 'blocks') {
    const first = await firstHeightInTables(writer)
    if (first === undefined) return undefined
    assert(first === from, 'tables begin where segments end')
  }
  const { tables } = history.schemaOf(stage)
  const entry = await addSegment(freezing, { stage, from, until }, async (made) => {
    for (const table of tables) {
      const limits = [until * placesPerHeight(table)]
      const below = { where: `${placeColumn(table)} < ?`, limits }
      await eachColumns(writer, table, below, async (columns) => made.add(table, columns))
    }
  })
  await history.reading(entry, async (file) => {
    for (const table of tables) await leaveTable(writer, file, { ...piece, table })
  })
  // Balances and holders depend on blocks alone.
  if (stage === 'blocks') await recount?.(writer, until)
  return entry
}

/**
 * Writes a segment by `fill`, and the manifest that lists it. The caller rolls the transaction back when
 * this throws: what `fill` throws, `store-full`, `store-failed`.
 */
export async function addSegment(
  { writer, history }: Pick<Freezing, 'writer' | 'history'>,
  piece: { readonly stage: HistoryStage; readonly from: number; readonly until: number },
  fill: (made: SegmentWriter) => Promise<void>,
): Promise<ManifestSegment> {
  await history.folder.removeOverdue(writer)
  const manifest = await history.manifest(writer)
  const folder = await history.folder.identity(manifest)
  const draft = await history.folder.draft({ folder })
  try {
    const name = await written(draft, history.schemaOf(piece.stage), fill, { inMemory: true })
    const bytes = await history.folder.place(draft, name)
    const entry = { ...piece, name, tier: 0, bytes }
    await writeManifest(writer, manifest, { folder, segments: [...manifest.segments, entry] })
    return entry
  } finally {
    history.folder.drafted(draft)
  }
}

/** Writes a segment of `schema` at `path` by `fill`; returns its name. No file stays when this throws. */
export async function written(
  path: string,
  schema: SegmentSchema,
  fill: (made: SegmentWriter) => Promise<void>,
  { pause, inMemory }: { readonly pause?: () => Promise<unknown>; readonly inMemory?: true } = {},
): Promise<string> {
  const made = new SegmentWriter(path, schema, inMemory)
  try {
    await fill(made)
    return await made.seal(pause)
  } finally {
    made.abandon()
  }
}

/** First height of the next segment of a stage; `undefined` of a chain without blocks. */
export async function nextFrom(
  { writer, history }: Pick<Freezing, 'writer' | 'history'>,
  stage: HistoryStage,
): Promise<number | undefined> {
  const last = segmentsOf(await history.manifest(writer), stage).at(-1)
  // A store of logs has no blocks that would say where it begins.
  return last?.until ?? (stage === 'logs' ? 0 : await firstHeight(writer))
}

/** Takes rows that `segment` holds from their table, which must be those that were written into it. */
async function leaveTable(
  writer: Writer,
  segment: SegmentFile,
  { table, until, rows }: FreezePiece & { readonly table: Table },
): Promise<void> {
  const leaving = rows === 'stored' ? new LeavingRows(table, until) : undefined
  const isWhole = table.freezes === 'whole'
  if (leaving !== undefined || isWhole)
    await eachColumns(segment, table, everyRow, async (columns, count) => {
      leaving?.add(columns, count)
      if (isWhole) await removeRows(writer, table, columns)
    })
  await leaving?.check(writer)
  if (!isWhole) await writer.clear(table)
}

/** Removes rows whose columns are all known. */
export async function removeRows(writer: Writer, table: Table, columns: Columns): Promise<void> {
  const keys = Object.entries(columns).filter(([name]) => table.key.includes(name))
  await writer.remove(table, Object.fromEntries(keys), columns)
}

/**
 * Moves history back into tables, so that nothing from height `from` on is frozen. Returns whether
 * anything was. Cost: every row of the segments that reach beyond `from` is written again. The
 * files stay until unused files are removed, for queries that still read them.
 */
export async function thawFrom(freezing: Freezing, from: number): Promise<boolean> {
  const { writer, history, recount } = freezing
  const manifest = await history.manifest(writer)
  const { segments, folder } = manifest
  const blocks = segmentsOf({ segments }, 'blocks').filter(({ until }) => until <= from)
  const end = frozenUntil({ segments: blocks }, 'blocks')
  const traces = segmentsOf({ segments }, 'traces').filter(({ until }) => until <= end)
  const logs = segmentsOf({ segments }, 'logs').filter(({ until }) => until <= from)
  const kept = [...blocks, ...traces, ...logs]
  const thawed = segments.filter((each) => !kept.includes(each))
  const oldest = thawed.find(({ stage }) => stage === 'blocks')
  const oldestTraces = thawed.find(({ stage }) => stage === 'traces')
  if (thawed.length === 0) return false
  for (const segment of thawed)
    await history.reading(segment, async (file) => {
      for (const table of history.schemaOf(segment.stage).tables)
        if (table.freezes === 'whole')
          await eachColumns(file, table, everyRow, async (columns) => writer.insert(table, columns))
    })
  await writeManifest(writer, manifest, { folder, segments: kept })
  if (oldest !== undefined) {
    for (const table of history.schemaOf('blocks').tables)
      if (table.freezes !== 'whole') await writer.clear(table)
    await recount?.(writer, oldest.from)
  }
  // A segment of traces reached beyond the blocks that stay frozen: their traces freeze again.
  if (oldestTraces !== undefined && oldestTraces.from < end) {
    const until = Math.min(end, frozenUntil({ segments }, 'traces'))
    await freezeStage(freezing, { stage: 'traces', until })
  }
  return true
}
