/** Writes the rows of whole blocks straight into a segment, in the transaction that adds them. */

import { toHex } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Writer } from '../engine/database.ts'
import { type HistoryStage, stageOf } from '../engine/table.ts'
import { block } from '../schema/evm.ts'
import { type Freezing, type FreezeSubject, hashOf, nextFrom } from './freeze.ts'
import { GatheredRows } from './gathered-rows.ts'
import { writeManifest } from './manifest.ts'
import { SegmentWriter } from './segment-writer.ts'

/** Heights of a stage, half-open, and the origin that their segment names. */
export type FrozenPiece = {
  readonly stage: HistoryStage
  readonly from: number
  readonly until: number
  readonly subject: FreezeSubject
}

/**
 * Does `work` with a writer that gathers the rows of a stage, and writes them as one segment. `work` adds
 * all rows of the heights of `piece` and no others, and none of these rows may be in tables. Heights below
 * them whose traces were left out belong to the segment, too.
 *
 * The segment is whole and on disk before `freezing.writer` can commit the row that names it. The caller
 * rolls this transaction back when this throws: what `work` throws, `store-full`, `store-failed`.
 */
export async function writeFrozen<T>(
  freezing: Omit<Freezing, 'recount'>,
  { stage, from, until, subject }: FrozenPiece,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const { writer, ice, tables } = freezing
  const manifest = await ice.manifest(writer)
  const begin = (await nextFrom(writer, manifest, stage)) ?? from
  assert(stage === 'traces' ? begin <= from : begin === from, 'blocks follow those that are frozen')
  const rows = new GatheredRows(stage)
  const result = await work(ice.serve(rows.writer(writer)))
  const parentHash = await hashOf(writer, begin - 1)
  const lastHash = stage === 'blocks' ? gatheredHash(rows, until) : await hashOf(writer, until - 1)
  // Files that a process left which was killed before its commit.
  ice.removeOrphans(manifest)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  try {
    for (const table of tables) if (stageOf(table) === stage) await rows.pack(made, table)
    const { name } = made.finish({ ...subject, from: begin, until, parentHash, lastHash })
    const entry = { stage, from: begin, until, name, tier: 0 }
    await writeManifest(writer, [...manifest.segments, entry])
  } catch (error) {
    made.abandon()
    throw error
  } finally {
    ice.drafted(draft)
  }
  return result
}

/** Hash of the last gathered block, hex. */
function gatheredHash(rows: GatheredRows, until: number): string {
  assert(rows.last(block, 'height') === until - 1, 'the blocks of a segment are added')
  const hash = rows.last(block, 'hash')
  return hash instanceof Uint8Array ? toHex(hash) : ''
}
