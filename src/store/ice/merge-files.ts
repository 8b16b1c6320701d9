/**
 * Writes the rows of neighbouring segments as one segment, from their files alone: no store is asked, so
 * any thread can do it.
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { FrozenShape } from './frozen-shape.ts'
import { MergedAmounts } from './merged-amounts.ts'
import { MergedFirsts } from './merged-firsts.ts'
import { type AddRows, MergedRows } from './merged-rows.ts'
import type { SegmentTable } from './segment-index.ts'
import { SegmentWriter, type TableSink } from './segment-writer.ts'
import { Segment } from './segment.ts'

/** Rows between two pauses: those of blocks with much call data take some milliseconds. */
const rowsAtOnce = 512

/** Files to merge. A value that crosses threads. */
export type MergeJob = {
  /** Segments in order of height. */
  readonly sources: readonly string[]
  /** The file to write; whoever asked gives it its final name. */
  readonly draft: string
  /** Version of the product. */
  readonly firn: string
}

/** Merges the files of a job into its draft; returns the name that the segment gets. */
export type MergeFiles = (job: MergeJob, pause: () => Promise<void>) => Promise<string>

/**
 * Merges as {@link MergeFiles} says; `pause` is awaited between pieces of work, and ends it by throwing.
 * The draft is whole and on disk when this returns, and stays unfinished when this throws: `store-full`,
 * `store-failed` for a source that is damaged, gone or of another kind, `store-version`.
 */
export const mergeFiles: MergeFiles = async ({ sources: paths, draft, firn }, pause) => {
  const sources: Segment[] = []
  const made = new SegmentWriter(draft)
  try {
    for (const path of paths) sources.push(new Segment(path))
    const first = itemAt(sources, 0).index
    const { until, lastHash } = itemAt(sources, sources.length - 1).index
    for (const table of first.tables) await mergeTable(made, { table, sources, pause })
    const { store, genesisHash, from, parentHash } = first
    return made.seal({ store, genesisHash, from, until, parentHash, lastHash, firn })
  } finally {
    made.leave()
    for (const source of sources) source.close()
  }
}

type Merged = {
  readonly table: SegmentTable
  readonly sources: readonly Segment[]
  readonly pause: () => Promise<void>
}

async function mergeTable(made: SegmentWriter, { table, sources, pause }: Merged): Promise<void> {
  const tables = sources.map((source) => {
    const own = source.table(table.name)
    if (own === undefined || !isSameShape(own.shape, table))
      throw new Fault('store-failed', `segments of two kinds cannot be merged: ${source.path}`)
    return own
  })
  await made.table(table, async (into) => {
    const merged = new MergedRows(tables)
    const add = addingTo(into, table)
    for (let isMore = true; isMore; await pause()) isMore = merged.addTo(add, rowsAtOnce)
  })
}

/** A function that adds rows of several segments as rows of one. */
function addingTo(into: TableSink, shape: FrozenShape): AddRows {
  if (shape.freezes === 'running') {
    const amounts = new MergedAmounts(into, shape)
    return (rows, range, piece) => amounts.add(rows, range, piece)
  }
  if (shape.freezes === 'firsts') {
    const firsts = new MergedFirsts(into, shape)
    return (rows, range) => firsts.add(rows, range)
  }
  return (rows, { from, until }) => into.addRange(rows, from, until)
}

function isSameShape(one: SegmentTable, other: SegmentTable): boolean {
  return (
    one.keyLength === other.keyLength &&
    one.groupRows === other.groupRows &&
    one.columns.join(' ') === other.columns.join(' ') &&
    one.forms.join(' ') === other.forms.join(' ') &&
    one.freezes === other.freezes
  )
}
