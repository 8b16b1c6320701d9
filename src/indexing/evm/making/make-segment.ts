/**
 * Makes the segment of a batch from what the batch says and the numbers of its addresses. No store is
 * asked, so any thread and any machine can do it.
 */

import { Fault } from '../../../core/fault.ts'
import type { Writer } from '../../../store/engine/database.ts'
import { GatheredRows, type TableRows } from '../../../store/ice/gathered-rows.ts'
import type { SegmentSubject } from '../../../store/ice/segment-index.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import { type NumberedBatch, writeHistory } from '../write/apply-blocks.ts'

/** A segment to make. A value that crosses threads. */
export type SegmentJob = {
  readonly numbered: NumberedBatch
  /** Rows of the segment that depend on what is stored. */
  readonly gathered: readonly TableRows[]
  readonly subject: SegmentSubject
  /** The file to write; whoever asked gives it its final name. */
  readonly draft: string
}

/** Writes the segment of a job into its draft; returns the name that the segment gets. */
export type MakeSegment = (job: SegmentJob) => Promise<string>

/**
 * Makes a segment as {@link MakeSegment} says. It is whole and on disk when this returns; no file stays when
 * this throws: `source-mismatch` as `applyBlocks`, `store-full`, `store-failed`.
 */
export const makeSegment: MakeSegment = async ({ numbered, gathered, subject, draft }) => {
  const rows = new GatheredRows('blocks', gathered)
  // No address counts as stored: a segment is written without its past.
  await writeHistory(rows.writer(noStore), numbered, 0)
  return rows.seal(draft, chainTables, subject)
}

const refuse = (): never => {
  throw new Fault('store-failed', 'rows of a segment depend on what is stored')
}

/** The store of whoever makes a segment. */
const noStore: Writer = {
  all: refuse,
  get: refuse,
  lookup: refuse,
  run: refuse,
  insert: refuse,
  insertNew: refuse,
  upsert: refuse,
  update: refuse,
  remove: refuse,
  clear: refuse,
}
