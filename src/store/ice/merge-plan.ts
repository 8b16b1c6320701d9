/** Which segments are merged next. */

import { itemAt } from '../../core/item-at.ts'
import type { ManifestSegment } from './manifest.ts'

/** Segments of one tier that become one of the next: a row is written once for each power of it. */
export const mergedAtOnce = 8
/** Most segments of a store once what is due is merged: a look for a hash asks each of them. */
export const mostSegments = 20

/**
 * The neighbours to merge next, in order of height; none: nothing is due. They are the oldest
 * {@link mergedAtOnce} of the lowest tier that has so many. Where no tier has and there are more than
 * {@link mostSegments}, they are all of the lowest tier that has two.
 */
export function segmentsToMerge(segments: readonly ManifestSegment[]): readonly ManifestSegment[] {
  const runs = runsOf(segments)
  const full = runs.findLast((run) => run.length >= mergedAtOnce)
  if (full !== undefined) return full.slice(0, mergedAtOnce)
  if (segments.length <= mostSegments) return []
  return runs.findLast((run) => run.length > 1) ?? []
}

/** Neighbours of one tier; tiers fall towards the newest. */
function runsOf(segments: readonly ManifestSegment[]): ManifestSegment[][] {
  const runs: ManifestSegment[][] = []
  for (const segment of segments) {
    const run = runs.at(-1)
    if (run !== undefined && itemAt(run, 0).tier === segment.tier) run.push(segment)
    else runs.push([segment])
  }
  return runs
}
