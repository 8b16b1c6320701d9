/** Recent delay of the event loop of this thread. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as later } from 'node:timers'

/** The watch of a loop. */
export type LoopDelay = {
  /**
   * Longest delay of the last {@link windowMs} to twice that, milliseconds. Watching begins with
   * the first reading and ends when nobody has read it for a while: it wakes the thread fifty times
   * a second.
   */
  readonly ms: () => number
  readonly stop: () => void
}

const windowMs = 500

/** After so long without a reading: watching ends. */
const restAfterMs = 1_000

// A timer of this period is watched; its delay is what it takes longer.
const resolutionMs = 20

/** A watch that rests. `now`: milliseconds, never going back. */
export function watchLoopDelay(now: () => number): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  let resting: NodeJS.Timeout | undefined
  let readAt = 0
  let since = 0
  let before = 0
  const current = (): number =>
    histogram.count === 0 ? 0 : Math.max(0, histogram.max / 1e6 - resolutionMs)
  const stop = (): void => {
    histogram.disable()
    clearTimeout(resting)
    resting = undefined
  }
  const rest = (): void => {
    const restMs = readAt + restAfterMs - now()
    if (restMs <= 0) stop()
    else resting = later(rest, restMs).unref()
  }
  const begin = (at: number): void => {
    histogram.reset()
    histogram.enable()
    since = at
    before = 0
    resting = later(rest, restAfterMs).unref()
  }
  return {
    ms: () => {
      const at = now()
      readAt = at
      if (resting === undefined) begin(at)
      if (at - since >= windowMs) {
        before = at - since >= 2 * windowMs ? 0 : current()
        since = at
        histogram.reset()
      }
      return Math.max(before, current())
    },
    stop,
  }
}
