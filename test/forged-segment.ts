/**
 * A segment in place of another one, with rows that somebody chose behind checksums, hashes and a name
 * that fit them: what a host may offer that wants to be believed.
 */

import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

import type { Database, Row } from '../src/store/engine/database.ts'
import { type Ice, iceOf } from '../src/store/ice/ice.ts'
import { IdFilterWriter } from '../src/store/ice/id-filter.ts'
import { type ManifestSegment, writeManifest } from '../src/store/ice/manifest.ts'
import { indexBytes } from '../src/store/ice/segment-index.ts'
import { SegmentWriter } from '../src/store/ice/segment-writer.ts'
import { Segment } from '../src/store/ice/segment.ts'

/** Rows of a table of a segment, in order of their key, as they are to be. */
export type Forge = (rows: readonly Row[]) => readonly Row[]

/** Writes the first segment of an open store that has certain tables with other rows, and lists it. */
export async function forgeSegment(
  store: Database,
  forgeries: Readonly<Record<string, Forge>>,
): Promise<void> {
  const { ice, old } = await firstWith(store, Object.keys(forgeries))
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
  await list(store, old, name)
}

/**
 * As {@link forgeSegment}, with the rows that were there and another filter of the table `name`: of the ids
 * that `change` returns, ascending, for those of its rows.
 */
export async function forgeFilter(
  store: Database,
  name: string,
  change: (ids: readonly number[]) => readonly number[],
): Promise<void> {
  const { ice, old } = await firstWith(store, [name])
  const segment = ice.segment(old.name)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  // The forged table is the last one, so that nothing behind its filter moves.
  const { tables } = segment.index
  for (const shape of tables.toSorted((a, b) => Number(a.name === name) - Number(b.name === name)))
    await made.table(shape, async (into) => {
      const table = segment.table(shape.name)
      into.add(table?.valuesOf(0, table.rows) ?? [])
    })
  made.seal(segment.index)
  const forged = withFilter(draft, change)
  writeFileSync(draft, forged.bytes)
  renameSync(draft, ice.pathOf(forged.name))
  ice.drafted(draft)
  await list(store, old, forged.name)
}

/** The file at `path` with another filter of its last table. */
function withFilter(
  path: string,
  change: (ids: readonly number[]) => readonly number[],
): ReturnType<typeof indexBytes> {
  const made = new Segment(path)
  const { index } = made
  const last = index.tables.at(-1)
  if (last?.filter === undefined) throw new Error('the last table has a filter')
  const rows = made.table(last.name)?.valuesOf(0, last.rows) ?? []
  made.close()
  const ids = Float64Array.from(change([...new Set(rows.map(([id]) => Number(id)))]))
  const { offset } = last.section
  let end = offset + last.section.length
  // The old filter stays where it is, and nothing leads to it.
  const parts: Uint8Array[] = [readFileSync(path).subarray(0, end)]
  const filter = new IdFilterWriter()
  filter.add(ids, ids.length)
  const extent = filter.finish((bytes) => {
    parts.push(bytes)
    const place = { offset: end, length: bytes.length, crc: crc32(bytes) }
    end += bytes.length
    return place
  })
  const data = Buffer.concat(parts)
  const sha256 = createHash('sha256').update(data.subarray(offset)).digest('hex')
  const { filter: _, ...others } = last
  const own = {
    ...others,
    ...(extent === undefined ? {} : { filter: extent }),
    section: { offset, length: end - offset, sha256 },
  }
  const { bytes, name } = indexBytes({ ...index, tables: index.tables.with(-1, own) })
  return { bytes: Buffer.concat([data, bytes]), name }
}

type Found = { readonly ice: Ice; readonly old: ManifestSegment }

/** The first segment of an open store that has certain tables. */
async function firstWith(store: Database, tables: readonly string[]): Promise<Found> {
  const ice = iceOf(store)
  if (ice === undefined) throw new Error('the store has segments')
  const { segments } = await ice.manifest(store)
  const old = segments.find(({ name }) =>
    ice.segment(name).index.tables.some((table) => tables.includes(table.name)),
  )
  if (old === undefined) throw new Error(`a segment has ${tables.join(', ')}`)
  return { ice, old }
}

async function list(store: Database, old: ManifestSegment, name: string): Promise<void> {
  const { segments = [] } = (await iceOf(store)?.manifest(store)) ?? {}
  const forged = segments.map((each) => (each.name === old.name ? { ...old, name } : each))
  await store.transaction((writer) => writeManifest(writer, forged))
}
