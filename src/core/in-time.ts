/** Waiting for something no longer than one may. */

import type { Clock } from './world.ts'

/**
 * Returns what `work` gives within `ms`; after that what `late` gives, which may throw. `work` goes
 * on: who can end it does so in `late`.
 */
export async function inTime<T>(
  work: Promise<T>,
  limit: { readonly clock: Clock; readonly ms: number; readonly late?: () => unknown },
): Promise<T | undefined> {
  const waiting = new AbortController()
  const over = limit.clock.sleep(limit.ms, waiting.signal).then(
    async () => {
      await limit.late?.()
      return undefined
    },
    () => undefined,
  )
  try {
    return await Promise.race([work, over])
  } finally {
    waiting.abort()
  }
}
