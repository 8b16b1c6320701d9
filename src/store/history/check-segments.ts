/** Reads the segments of a store from end to end and compares them with what their names say. */

import { faultOf } from '../../core/fault.ts'
import type { Reader } from '../engine/database.ts'
import { historyOf } from './history.ts'
import type { ManifestSegment } from './manifest.ts'
import { checkName } from './segment-file.ts'

/** A segment that is not what was written, and why. */
export type DamagedSegment = ManifestSegment & { readonly reason: string }

/** Ways to follow a check, and to slow it down. */
export type SegmentChecking = {
  /** Hears of each segment before it is read. */
  readonly progress: (segment: ManifestSegment) => void
  /** Awaited between pieces of a MiB; ends the work by throwing. */
  readonly pause?: () => Promise<unknown>
}

/** Damaged segments of a store. Cost: every byte of them is read, and half a millisecond for a MiB. */
export async function checkSegments(
  database: Reader,
  { progress, pause }: SegmentChecking,
): Promise<DamagedSegment[]> {
  const history = historyOf(database)
  if (history === undefined) return []
  const damaged: DamagedSegment[] = []
  const checked = new Set<string>()
  for (;;) {
    // Read anew after each: a merge may replace those that follow.
    const { segments } = await history.manifest(database)
    const segment = segments.findLast(({ name }) => !checked.has(name))
    if (segment === undefined) return damaged
    checked.add(segment.name)
    progress(segment)
    const reason = await problemOf(() =>
      checkName(history.pathOf(segment.name), segment.name, pause),
    )
    if (reason === undefined) continue
    const now = await history.manifest(database)
    if (now.segments.some(({ name }) => name === segment.name)) damaged.push({ ...segment, reason })
  }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return fault.message
  }
}
