/** The stream that compares stored blocks with the schedule of proposers. */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import { checkpointHeights } from '../../../store/checkpoint.ts'
import { slotLedgers } from '../../../store/query/events/watch.ts'
import { quietStream } from '../../stream/round-stream.ts'
import type { StageStatus, Stream } from '../../stream/stage.ts'
import type { PrimaryStore } from './store.ts'

/** Blocks come every few seconds at most; after a fault of the store it waits as long. */
const pauseMs = 1_000

/**
 * Judges blocks as they are stored; its status says how far the P-Chain's are. Faults are those of the store, which
 * its chains report.
 */
export function slotStream(
  { judgeMore, database }: Pick<PrimaryStore, 'judgeMore' | 'database'>,
  clock: Clock,
): Stream {
  let report: Partial<StageStatus> = { state: 'syncing' }
  const round = async (): Promise<boolean> => {
    const isMore = await judgeMore()
    const heights = await checkpointHeights(database)
    const [judged = -1, stored = -1] = [heights.get(slotLedgers.P), heights.get('P')]
    report = { state: isMore ? 'syncing' : 'live', indexedHeight: judged, headHeight: stored }
    return isMore
  }
  const waitedOut = async (): Promise<boolean> => {
    try {
      return await round()
    } catch (error) {
      if (faultOf(error)?.retryable !== true) throw error
      return false
    }
  }
  const quiet = quietStream('slots', async (signal) => {
    try {
      while (!signal.aborted) await clock.sleep((await waitedOut()) ? 0 : pauseMs, signal)
    } finally {
      // What ended it is shown then.
      report = {}
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...report }) }
}
