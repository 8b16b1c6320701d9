/** Work with segments that stay open meanwhile, and that are fetched where they are not here. */

import type { Reader, Soon } from '../engine/database.ts'
import { SegmentNeeded } from './awaited-segment.ts'
import type { HeldSegments, Ice } from './ice.ts'
import type { SegmentRange } from './walk-segments.ts'

/** A store that is read: its tables, and its segments. */
export type IcedStore = { readonly reader: Reader; readonly ice: Ice }

/**
 * Does `work` with all segments held. Where it needs one that is not here, it is done again once that
 * was fetched. Throws `not-ready` where that takes too long.
 */
export async function holding<T>(
  { reader, ice }: IcedStore,
  work: (held: HeldSegments) => Soon<T>,
): Promise<T> {
  for (;;) {
    const held = await ice.hold(reader)
    try {
      // What was fetched for it stays open meanwhile, whatever is removed to make room.
      return await doneOnceFetched(ice, () => work(held))
    } catch (error) {
      if (!(await ice.mayTryAgain(reader, held, error))) throw error
    } finally {
      held.release()
    }
  }
}

/** Does `work`, again after each segment that it needed was fetched. */
async function doneOnceFetched<T>(ice: Ice, work: () => Soon<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SegmentNeeded)) throw error
      await ice.fetch(error.segment)
    }
  }
}

/** Height behind the last segment; 0 where there is none. */
export function endOf(ranges: readonly SegmentRange[]): number {
  return ranges.at(-1)?.until ?? 0
}
