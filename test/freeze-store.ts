/**
 * Segments of stores that tests open.
 *
 * Needs nothing of the test runner: a process that a test starts and kills freezes too, and must
 * print its own lines only.
 */

import { heightsBelow } from '../src/indexing/evm/freeze/freeze-at-once.ts'
import { recount } from '../src/indexing/evm/write/recount.ts'
import type { Database, Reader } from '../src/store/engine/database.ts'
import type { HistoryStage } from '../src/store/engine/table.ts'
import { freezeUntil } from '../src/store/ice/freeze.ts'
import { iceOf } from '../src/store/ice/ice.ts'
import { type ManifestSegment, segmentsOf as stageSegments } from '../src/store/ice/manifest.ts'
import { mergeDue, type Merging } from '../src/store/ice/merge-segments.ts'
import type { SegmentFormat } from '../src/store/ice/segment-index.ts'
import { indexedHeight } from '../src/store/query/evm/indexed-height.ts'
import { chainTables } from '../src/store/schema/stores.ts'

/**
 * Freezes the history of an open store, one segment up to each of `heights` that it has, in the newest
 * format when none is said.
 */
export async function freezeAt(
  store: Database,
  heights: readonly number[],
  format?: SegmentFormat,
): Promise<void> {
  const ice = iceOf(store)
  if (ice === undefined) return
  const last = await indexedHeight(store, 'blocks')
  for (const height of heights)
    await store.transaction(async (writer) => {
      const until = await heightsBelow(writer, Math.min(height, last + 1))
      const origin = { store: store.name, genesisHash: '', firn: 'test' }
      const subject = format === undefined ? origin : { ...origin, format }
      await freezeUntil({ writer, ice, tables: chainTables, recount }, until, subject)
    })
}

/** Segments of a stage of an open store. */
export async function segmentsOf(
  store: Reader,
  stage: HistoryStage = 'blocks',
): Promise<readonly ManifestSegment[]> {
  const manifest = await iceOf(store)?.manifest(store)
  return manifest === undefined ? [] : stageSegments(manifest, stage)
}

/** Files of all segments of an open store, of blocks and of traces. */
export async function segmentFiles(store: Reader): Promise<string[]> {
  const { segments = [] } = (await iceOf(store)?.manifest(store)) ?? {}
  return segments.map((segment) => `${segment.name}.ice`).toSorted()
}

/**
 * Merges segments of an open store until nothing is due: neighbours by `choose`, by the tiers of the
 * product when it is not said.
 */
export async function mergeAll(store: Database, choose?: Merging['choose']): Promise<void> {
  const ice = iceOf(store)
  if (ice === undefined) return
  const merging: Merging = {
    reader: store,
    ice,
    firn: 'test',
    pause: async () => undefined,
    commit: (work) => store.transaction(work),
    ...(choose === undefined ? {} : { choose }),
  }
  while ((await mergeDue(merging)) !== undefined);
}
