/** The machine's own clock, for tests of whole processes. */

import { setTimeout as wait } from 'node:timers/promises'

import type { Clock } from '../../../src/core/world.ts'

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
}
