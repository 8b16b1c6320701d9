/**
 * A segment in place of another one, with rows that somebody chose behind checksums, hashes and a name
 * that fit them: what a host may offer that wants to be believed.
 */

import type { Database, Row } from '../src/store/engine/database.ts'
import { iceOf } from '../src/store/ice/ice.ts'
import { writeManifest } from '../src/store/ice/manifest.ts'
import { SegmentWriter } from '../src/store/ice/segment-writer.ts'
import { segmentsOf } from './freeze-store.ts'

/** Rows of a table of a segment, in order of their key, as they are to be. */
export type Forge = (rows: readonly Row[]) => readonly Row[]

/** Writes segment `at` of an open store again with other rows of `table`, and lists that one. */
export async function forgeSegment(
  store: Database,
  at: number,
  forgeries: Readonly<Record<string, Forge>>,
): Promise<void> {
  const ice = iceOf(store)
  const listed = await segmentsOf(store)
  const old = listed[at]
  if (ice === undefined || old === undefined) throw new Error('there is such a segment')
  const segment = ice.segment(old.name)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  for (const shape of segment.index.tables) {
    const table = segment.table(shape.name)
    const rows = table === undefined ? [] : table.valuesOf(0, table.rows)
    await made.table(shape, async (into) => into.add(forgeries[shape.name]?.(rows) ?? rows))
  }
  const { name } = made.finish(segment.index)
  ice.drafted(draft)
  const forged = listed.with(at, { ...old, name })
  await store.transaction((writer) => writeManifest(writer, forged))
}
