/** A clock that stands still until a test moves it. */

import type { Clock } from '../../../src/core/world.ts'

/** Its time is `nowMs`, which a test may set; a monotonic clock beside it begins with 0. */
export type ManualClock = Clock & { nowMs: number }

/** Starts at `startMs`, milliseconds of the Unix epoch; pauses end at once and take no time. */
export function manualClock(startMs = 1_780_000_000_000): ManualClock {
  const clock: ManualClock = {
    nowMs: startMs,
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs - startMs,
    sleep: () => Promise.resolve(),
  }
  return clock
}

/** A manual clock that every pause moves by its length; `meanwhile` happens during each pause. */
export function pausingClock(meanwhile: (ms: number) => unknown = () => undefined): ManualClock {
  const clock = manualClock()
  return Object.assign(clock, {
    sleep: async (ms: number) => {
      clock.nowMs += ms
      await meanwhile(ms)
    },
  })
}
