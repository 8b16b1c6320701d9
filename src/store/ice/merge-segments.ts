/**
 * Merges neighbouring segments into one that holds the same rows, so that a question reads few.
 *
 * The new file is written beside the work of the store, a slice at a time; only its name, and the row
 * that names it in place of the old ones, belong to a transaction. Whoever reads an old segment keeps
 * it open. What a killed process leaves is a file that no manifest names.
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { historyStages } from '../engine/table.ts'
import type { FrozenShape } from './frozen-shape.ts'
import type { Ice } from './ice.ts'
import { type ManifestSegment, segmentsOf, writeManifest } from './manifest.ts'
import { segmentsToMerge } from './merge-plan.ts'
import { MergedAmounts } from './merged-amounts.ts'
import { MergedFirsts } from './merged-firsts.ts'
import { type AddRows, MergedRows } from './merged-rows.ts'
import type { SegmentTable } from './segment-index.ts'
import { SegmentWriter, type TableSink } from './segment-writer.ts'
import type { Segment } from './segment.ts'

/** Rows between two looks at the clock: blocks with much call data take some milliseconds. */
const rowsAtOnce = 512

/** Parts of the process that merging uses. */
export type Merging = {
  /** Reads what is committed. */
  readonly reader: Reader
  readonly ice: Ice
  /** Version of the product. */
  readonly firn: string
  /** Resolves when the next slice may be written; throws to end the work. */
  readonly pause: () => Promise<void>
  /** Does work in one transaction, under the lease. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
  /** Which neighbours of one stage are merged; those that are due when it is not said. */
  readonly choose?: (segments: readonly ManifestSegment[]) => readonly ManifestSegment[]
}

/**
 * Merges the segments that are due; gives the new one, `undefined` where there is nothing to do or
 * the old ones were taken back into tables meanwhile. Throws `store-full`, `store-failed`,
 * `lease-lost`; the store is as it was then.
 */
export async function mergeDue(merging: Merging): Promise<ManifestSegment | undefined> {
  const { reader, ice, choose = segmentsToMerge } = merging
  const held = await ice.hold(reader)
  try {
    for (const stage of historyStages) {
      const due = choose(segmentsOf(held.manifest, stage))
      if (due.length > 1) return await merge(merging, due)
    }
    return undefined
  } finally {
    held.release()
  }
}

async function merge(
  merging: Merging,
  due: readonly ManifestSegment[],
): Promise<ManifestSegment | undefined> {
  const { ice, firn, pause, commit } = merging
  const { stage, tier } = itemAt(due, 0)
  const sources = due.map(({ name }) => ice.segment(name))
  const first = itemAt(sources, 0).index
  const last = itemAt(sources, sources.length - 1).index
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  try {
    for (const table of first.tables) await mergeTable(made, { table, sources, pause })
    made.settle()
    const { store, genesisHash, from, parentHash } = first
    const { until, lastHash } = last
    const subject = { store, genesisHash, from, until, parentHash, lastHash, firn }
    return await commit(async (writer) => {
      const { segments } = await ice.manifest(writer)
      const at = segments.findIndex(({ name }) => name === itemAt(due, 0).name)
      if (!due.every(({ name }, place) => segments[at + place]?.name === name)) return undefined
      const { name } = made.finish(subject)
      const entry = { stage, from, until, name, tier: tier + 1 }
      await writeManifest(writer, segments.toSpliced(at, due.length, entry))
      return entry
    })
  } finally {
    made.abandon()
    ice.drafted(draft)
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
  const { name, columns, forms, keyLength, leadsTo, freezes } = table
  const shape = {
    name,
    columns,
    forms,
    keyLength,
    ...(leadsTo === undefined ? {} : { leadsTo }),
    ...(freezes === undefined ? {} : { freezes }),
  }
  await made.table(shape, async (into) => {
    const merged = new MergedRows(tables)
    const add = addingTo(into, shape)
    for (let isMore = true; isMore; await pause()) isMore = merged.addTo(add, rowsAtOnce)
  })
}

/** Hands rows on as those of one segment. */
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
    one.columns.join(' ') === other.columns.join(' ') &&
    one.forms.join(' ') === other.forms.join(' ') &&
    one.freezes === other.freezes
  )
}
