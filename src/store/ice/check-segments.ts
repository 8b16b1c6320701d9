/** Reads the segments of a store from end to end and compares them with what their names say. */

import { faultOf } from '../../core/fault.ts'
import type { Database } from '../engine/database.ts'
import { iceOf } from './ice.ts'
import type { ManifestSegment } from './manifest.ts'

/** A segment that is not what was written, and why. */
export type DamagedSegment = ManifestSegment & { readonly reason: string }

/** Damaged segments of a store. Cost: every byte of them is read. */
export async function checkSegments(
  database: Database,
  progress: (segment: ManifestSegment) => void,
): Promise<DamagedSegment[]> {
  const ice = iceOf(database)
  if (ice === undefined) return []
  const damaged: DamagedSegment[] = []
  const checked = new Set<string>()
  for (;;) {
    // Read anew after each: a merge may replace those that follow.
    const { segments } = await ice.manifest(database)
    const segment = segments.find(({ name }) => !checked.has(name))
    if (segment === undefined) return damaged
    checked.add(segment.name)
    progress(segment)
    const reason = problemOf(() => ice.segment(segment.name).damagedTables())
    if (reason === undefined) continue
    const now = await ice.manifest(database)
    if (now.segments.some(({ name }) => name === segment.name)) damaged.push({ ...segment, reason })
  }
}

function problemOf(damagedTables: () => string[]): string | undefined {
  try {
    const names = damagedTables()
    return names.length === 0 ? undefined : `bytes of ${names.join(', ')} are not those written`
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return fault.message
  }
}
