/**
 * A clock whose time passes only while nothing else happens: sleeps end in order, at once.
 *
 * Everything that can go on without time passing does so first, because a sleep ends in a
 * macrotask of its own. A day of retries takes milliseconds, and always the same way.
 */

import type { Clock } from '../../../src/core/world.ts'

/** A virtual clock; `elapsedMs` tells how long the test believes to have taken. */
export type VirtualClock = Clock & { readonly elapsedMs: () => number }

/** Starts at 2026-01-01 00:00 UTC. */
export function virtualClock(): VirtualClock {
  const start = Date.UTC(2026, 0, 1)
  let time = 0
  let scheduled = false
  let order = 0
  const sleepers: { readonly at: number; readonly order: number; readonly wake: () => void }[] = []

  function schedule(): void {
    if (scheduled || sleepers.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      sleepers.sort((a, b) => a.at - b.at || a.order - b.order)
      const next = sleepers.shift()
      if (next !== undefined) {
        time = Math.max(time, next.at)
        next.wake()
      }
      schedule()
    })
  }

  return {
    now: () => start + Math.floor(time),
    monotonic: () => time,
    elapsedMs: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason)
          return
        }
        const sleeper = {
          at: time + ms,
          order: order++,
          wake: () => {
            signal?.removeEventListener('abort', aborted)
            resolve()
          },
        }
        const aborted = (): void => {
          const at = sleepers.indexOf(sleeper)
          if (at >= 0) sleepers.splice(at, 1)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', aborted, { once: true })
        sleepers.push(sleeper)
        schedule()
      }),
  }
}
