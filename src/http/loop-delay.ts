/** How late the event loop of this thread has been of late. */

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The watch of a loop. */
export type LoopDelay = {
  /** Longest delay of the last {@link windowMs} to twice that, milliseconds. */
  readonly ms: () => number
  readonly stop: () => void
}

const windowMs = 500

// A timer of this period is watched; its delay is what it takes longer.
const resolutionMs = 20

/** Begins to watch. `now`: milliseconds, never going back. */
export function watchLoopDelay(now: () => number): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let since = now()
  let before = 0
  const current = (): number =>
    histogram.count === 0 ? 0 : Math.max(0, histogram.max / 1e6 - resolutionMs)
  return {
    ms: () => {
      const at = now()
      if (at - since >= windowMs) {
        before = at - since >= 2 * windowMs ? 0 : current()
        since = at
        histogram.reset()
      }
      return Math.max(before, current())
    },
    stop: () => histogram.disable(),
  }
}
