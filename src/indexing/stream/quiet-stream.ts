/** Streams that are of interest only when they end. */

import { faultOf } from '../../core/fault.ts'
import { idleStatus, type StageStatus, type Stream } from './stage.ts'

/** A stream that shows nothing of itself: its failures are those of its store or node. */
export function quietStream(name: string, work: (signal: AbortSignal) => Promise<void>): Stream {
  let state: StageStatus = { ...idleStatus(name), state: 'live' }
  return {
    name,
    status: () => state,
    run: async (signal) => {
      try {
        await work(signal)
      } catch (error) {
        if (signal.aborted) return
        const reason = faultOf(error)?.message ?? 'it broke; see the log'
        state = { ...state, state: 'off', reason }
      }
    },
  }
}
