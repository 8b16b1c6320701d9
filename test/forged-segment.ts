/**
 * A segment in place of another one, with rows that somebody chose behind checksums, hashes and a name
 * that fit them: what a host may offer that wants to be believed.
 */

import type { Database, Row } from '../src/store/engine/database.ts'
import { iceOf } from '../src/store/ice/ice.ts'
import { writeManifest } from '../src/store/ice/manifest.ts'
import { SegmentWriter } from '../src/store/ice/segment-writer.ts'

/** Rows of a table of a segment, in order of their key, as they are to be. */
export type Forge = (rows: readonly Row[]) => readonly Row[]

/** Writes the first segment of an open store that has certain tables with other rows, and lists it. */
export async function forgeSegment(
  store: Database,
  forgeries: Readonly<Record<string, Forge>>,
): Promise<void> {
  const ice = iceOf(store)
  if (ice === undefined) throw new Error('the store has segments')
  const { segments } = await ice.manifest(store)
  const forgedTables = Object.keys(forgeries)
  const old = segments.find(({ name }) =>
    ice.segment(name).index.tables.some((table) => forgedTables.includes(table.name)),
  )
  if (old === undefined) throw new Error(`a segment has ${forgedTables.join(', ')}`)
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
  const forged = segments.map((each) => (each.name === old.name ? { ...old, name } : each))
  await store.transaction((writer) => writeManifest(writer, forged))
}
