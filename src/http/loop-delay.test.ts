import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { watchLoopDelay } from './loop-delay.ts'

const now = (): number => performance.now()

/** Holds the loop up for `ms`. */
function block(ms: number): void {
  for (const until = now() + ms; now() < until;);
}

void test(
  'loop delay: reported for a loop that is held up, also after a rest',
  { timeout: 10_000 },
  async () => {
    const delay = watchLoopDelay(now)
    try {
      for (const restMs of [1_100, 0]) {
        assert.equal(delay.ms(), 0)
        // The watch begins with the next turns of the loop.
        await pause(50)
        block(150)
        while (delay.ms() <= 100) await pause(5)
        await pause(restMs)
      }
    } finally {
      delay.stop()
    }
  },
)
