/**
 * Time of a process that serves recordings alone: it ends where they end.
 *
 * At a first start the last blocks are held back and released one a second; afterwards, and at every later
 * start, it rests at the end.
 */

import type { Clock } from './world.ts'

/** As plain data, for all threads. */
export type RecordedTime = {
  /** When the release began, milliseconds since 1970 of the real clock. */
  readonly startedMs: number
  /** Unix seconds of the blocks held back, oldest first, at least one: the last is the end. */
  readonly times: readonly number[]
}

/** The end of the recordings, Unix seconds. */
export function recordedEnd({ times }: RecordedTime): number {
  return times.at(-1) ?? 0
}

/** `clock` as the recordings have it; between two releases time passes evenly. */
export function recordedClock(clock: Clock, time: RecordedTime | undefined): Clock {
  if (time === undefined) return clock
  const { startedMs, times } = time
  const now = (): number => {
    const passed = Math.max(0, (clock.now() - startedMs) / 1_000)
    const [from = 0, to = recordedEnd(time)] = times.slice(Math.floor(passed)).slice(0, 2)
    if (passed >= times.length - 1) return recordedEnd(time) * 1_000
    return (from + (to - from) * (passed % 1)) * 1_000
  }
  return { ...clock, now }
}

/**
 * How many of blocks with these times, oldest first, are there at `clock`. The times of all but the newest
 * need not be known: `undefined` is long ago.
 */
export function releasedBlocks(times: readonly (number | undefined)[], clock: Clock): number {
  const now = clock.now() / 1_000
  let count = times.length
  while (count > 0 && (times[count - 1] ?? 0) > now) count--
  return count
}
