/** Compares segments with their names. */

import { faultIn } from '../../core/fault.ts'
import type { Reader } from '../engine/database.ts'
import type { ManifestSegment } from './manifest.ts'
import { stampOf } from './segment-bytes.ts'

/** A segment that is not what was written, and why: its file is gone, or it is altered. */
export type DamagedSegment = ManifestSegment & {
  readonly reason: string
  readonly isAltered: boolean
}

/** Ways to follow a check, and to slow it down. */
type SegmentChecking = {
  /** Hears of each segment before it is read. */
  readonly progress: (segment: ManifestSegment) => void
  /** Awaited between pieces of a MiB; ends the work by throwing. */
  readonly pause?: () => Promise<unknown>
  /** Fetches the files of a bucket that are not here, perhaps all of history; by default they are only looked for. */
  readonly fetches?: boolean
}

/** Damaged segments of a store. Cost: every byte of them is read, and half a millisecond for a MiB. */
export async function checkSegments(
  database: Reader,
  { progress, pause, fetches = false }: SegmentChecking,
): Promise<DamagedSegment[]> {
  const history = database.history
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
    const path = history.folder.pathOf(segment.name)
    const options = pause === undefined ? { fetches } : { fetches, pause }
    const reason = await problemOf(() => history.check(segment, options))
    if (reason === undefined) continue
    const isAltered = stampOf(path) !== undefined
    const now = await history.manifest(database)
    if (now.segments.some(({ name }) => name === segment.name))
      damaged.push({ ...segment, reason, isAltered })
  }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    const fault = faultIn(error)
    // A bucket that is away says nothing of its files.
    if (fault.code === 'not-ready') throw fault
    return fault.message
  }
}
