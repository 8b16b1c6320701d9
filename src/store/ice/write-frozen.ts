/** Writes the rows of whole blocks straight into a segment, in the transaction that adds them. */

import type { Writer } from '../engine/database.ts'
import type { HistoryStage } from '../engine/table.ts'
import { type Freezing, type FreezeSubject, hashOf, nextFrom } from './freeze.ts'
import { GatheredRows } from './gathered-rows.ts'
import { writeManifest } from './manifest.ts'
import { placeSegment } from './segment-writer.ts'

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
 * them whose traces were left out belong to the segment, too. The blocks of its heights are stored.
 *
 * The segment is whole and on disk before `freezing.writer` can commit the row that names it. The caller
 * rolls this transaction back when this throws: what `work` throws, `store-full`, `store-failed`.
 */
export async function writeFrozen<T>(
  { writer, ice, tables }: Omit<Freezing, 'recount'>,
  { stage, from, until, subject }: FrozenPiece,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const manifest = await ice.manifest(writer)
  const begin = (await nextFrom(writer, manifest, stage)) ?? from
  const rows = new GatheredRows(stage)
  const result = await work(ice.serve(rows.writer(writer)))
  const parentHash = await hashOf(writer, begin - 1)
  const lastHash = await hashOf(writer, until - 1)
  // Files that a process left which was killed before its commit.
  ice.removeOrphans(manifest)
  const draft = ice.draft()
  try {
    const origin = { ...subject, from: begin, until, parentHash, lastHash }
    const name = await rows.seal(draft, tables, origin)
    placeSegment(draft, name)
    const entry = { stage, from: begin, until, name, tier: 0 }
    await writeManifest(writer, [...manifest.segments, entry])
  } finally {
    ice.drafted(draft)
  }
  return result
}
