/** Which segments are merged next. */

import { itemAt } from '../../core/item-at.ts'
import type { ManifestSegment } from './manifest.ts'

/** Segments of one tier that become one of the next: a row is written once for each power of it. */
export const mergedAtOnce = 8
/** Most segments merged at once: one group of each is in memory. */
export const mostMergedAtOnce = 64
/** Most segments of a store once what is due is merged: a look for a hash asks each of them. */
export const mostSegments = 20

/**
 * The neighbours of one stage to merge next, in order of height; none: nothing is due. They are of the
 * tier that has most, and at least {@link mergedAtOnce}, of equal tiers the lowest. A backfill that makes
 * segments faster than they merge so has each row written less often. Where no tier has so many and there
 * are more than {@link mostSegments}, they are all of the lowest tier that has two.
 */
export function segmentsToMerge(segments: readonly ManifestSegment[]): readonly ManifestSegment[] {
  const runs = runsOf(segments)
  const most = Math.max(0, ...runs.map((run) => run.length))
  const full = runs.findLast((run) => run.length === most)
  if (full !== undefined && most >= mergedAtOnce) return full.slice(0, mostMergedAtOnce)
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
