/**
 * Merges neighbouring segments into one that holds the same rows, so that a question reads few.
 *
 * The new file is written while the store goes on, a slice at a time; only its name, and the row that names
 * it in place of the old ones, belong to a transaction. A question that reads an old segment keeps it
 * open. A killed process leaves a file that no manifest names.
 */

import { rmSync } from 'node:fs'

import { faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { historyStages } from '../engine/table.ts'
import type { Ice } from './ice.ts'
import { type Manifest, type ManifestSegment, segmentsOf, writeManifest } from './manifest.ts'
import { type MergeFiles, mergeFiles } from './merge-files.ts'
import { segmentsToMerge } from './merge-plan.ts'
import { placeSegment } from './segment-writer.ts'

/** Parts of the process that merging uses. */
export type Merging = {
  /** Reads what is committed. */
  readonly reader: Reader
  readonly ice: Ice
  /** Version of the product. */
  readonly firn: string
  /** Resolves when the next slice may be written; throws to end the work. */
  readonly pause: () => Promise<void>
  /** Writes the merged file; by default this thread does. */
  readonly write?: MergeFiles
  /** Does work in one transaction, under the lease. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
  /** Chooses the neighbours of one stage that are merged; by default those that are due. */
  readonly choose?: (segments: readonly ManifestSegment[]) => readonly ManifestSegment[]
}

/**
 * Merges the segments that are due; returns the new one, `undefined` where none are due or the old ones
 * were taken back into tables meanwhile. Throws `store-full`, `store-failed`, `lease-lost`, and leaves the
 * store as it was then.
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
  const { reader, ice, firn, pause, commit, write = mergeFiles } = merging
  const { stage, from, tier } = itemAt(due, 0)
  const { until } = itemAt(due, due.length - 1)
  const draft = ice.draft()
  try {
    const sources = due.map(({ name }) => ice.pathOf(name))
    const name = await write({ sources, draft, firn }, pause)
    return await commit(async (writer) => {
      const manifest = await ice.manifest(writer)
      if (!isListed(due, manifest)) return undefined
      const { segments } = manifest
      const at = placeOf(due, manifest)
      placeSegment(draft, name)
      const entry = { stage, from, until, name, tier: tier + 1 }
      await writeManifest(writer, segments.toSpliced(at, due.length, entry))
      return entry
    })
  } catch (error) {
    // Files of segments that were taken back into tables meanwhile may be gone.
    if (faultOf(error) !== undefined && !isListed(due, await ice.manifest(reader))) return undefined
    throw error
  } finally {
    rmSync(draft, { force: true })
    ice.drafted(draft)
  }
}

function isListed(due: readonly ManifestSegment[], manifest: Manifest): boolean {
  const at = placeOf(due, manifest)
  return due.every(({ name }, place) => manifest.segments[at + place]?.name === name)
}

/** Place of the first of `due` in a manifest. */
function placeOf(due: readonly ManifestSegment[], { segments }: Manifest): number {
  const { stage, name } = itemAt(due, 0)
  return segments.findIndex((each) => each.stage === stage && each.name === name)
}
