/** The stream that compares stored blocks with the schedule of proposers. */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import { quietStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'
import type { PrimaryStore } from './store.ts'

/** Blocks come every few seconds at most; after a fault of the store it waits as long. */
const pauseMs = 1_000

/** Judges blocks as they are stored. Faults are those of the store, which its chains report. */
export function slotStream({ judgeMore }: Pick<PrimaryStore, 'judgeMore'>, clock: Clock): Stream {
  return quietStream('slots', async (signal) => {
    while (!signal.aborted) {
      let isMore = false
      try {
        isMore = await judgeMore()
      } catch (error) {
        if (faultOf(error)?.retryable !== true) throw error
      }
      await clock.sleep(isMore ? 0 : pauseMs, signal)
    }
  })
}
