/**
 * Segments of stores that tests open.
 *
 * Needs nothing of the test runner: a process that a test starts and kills freezes too, and must
 * print its own lines only.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { heightsBelow } from '../../../src/indexing/evm/freeze/freeze-at-once.ts'
import { recount } from '../../../src/indexing/evm/write/recount.ts'
import type { Database, Reader } from '../../../src/store/engine/database.ts'
import { freezeUntil } from '../../../src/store/history/freeze.ts'
import {
  type ManifestSegment,
  segmentsOf as stageSegments,
} from '../../../src/store/history/manifest.ts'
import { mergeDue, type Merging } from '../../../src/store/history/merge-segments.ts'
import { keptUnnamedMs } from '../../../src/store/history/segment-folder.ts'
import type { StoreLocation } from '../../../src/store/open.ts'
import { indexedHeight } from '../../../src/store/query/evm/heights.ts'
import type { HistoryStage } from '../../../src/store/schema/table.ts'

/** Freezes the history of an open store, one segment up to each of `heights` that it has. */
export async function freezeAt(store: Database, heights: readonly number[]): Promise<void> {
  const history = store.history
  if (history === undefined) return
  const last = await indexedHeight(store, 'blocks')
  for (const height of heights)
    await store.transaction(async (writer) => {
      const until = await heightsBelow(writer, Math.min(height, last + 1))
      await freezeUntil({ writer, history, recount }, until)
    })
}

/** Freezes the logs of an open store of logs, one segment up to each of `heights`. */
export async function freezeLogsAt(store: Database, heights: readonly number[]): Promise<void> {
  const history = store.history
  if (history === undefined) return
  for (const logs of heights)
    await store.transaction((writer) => freezeUntil({ writer, history, recount }, { logs }))
}

/** Removes the files of an open store that no manifest names, as when they had lain there long enough. */
export async function removeUnnamed(store: Database): Promise<void> {
  const { history } = store
  await history?.folder.hasOverdue(store, 0)
  await history?.folder.hasOverdue(store, keptUnnamedMs)
  await store.transaction(async (writer) => history?.folder.removeOverdue(writer))
}

/** Segments of a stage of an open store. */
export async function segmentsOf(
  store: Reader,
  stage: HistoryStage = 'blocks',
): Promise<readonly ManifestSegment[]> {
  const manifest = await store.history?.manifest(store)
  return manifest === undefined ? [] : stageSegments(manifest, stage)
}

/** Files of all segments of an open store, of blocks and of traces. */
export async function segmentFiles(store: Reader): Promise<string[]> {
  const { segments = [] } = (await store.history?.manifest(store)) ?? {}
  return segments.map((segment) => `${segment.name}.sqlite`).toSorted()
}

/**
 * Merges segments of an open store until nothing is due: neighbours by `choose`, by the tiers of the
 * product when it is not said.
 */
export async function mergeAll(
  store: Database,
  choose?: Merging['choose'],
  write?: Merging['write'],
): Promise<void> {
  const history = store.history
  if (history === undefined) return
  const merging: Merging = {
    reader: store,
    history,
    pause: async () => undefined,
    commit: (work) => store.transaction(work),
    write,
    ...(choose === undefined ? {} : { choose }),
  }
  while ((await mergeDue(merging)) !== undefined);
}

/** Does `work` with a location whose history freezes into a folder of its own. */
export async function withSegments(
  location: StoreLocation,
  work: (place: StoreLocation) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-migrations-'))
  const place: StoreLocation = { ...location, freeze: {}, segments: join(folder, 'segments') }
  try {
    await work(place)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
