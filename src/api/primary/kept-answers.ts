/** Sums that cost a pass over many rows and move slowly: kept for a while. */

import type { Clock } from '../../core/world.ts'

const keepMs = 10_000

/** As `read`, but what it gave for a store is given again for ten seconds. */
export function keptFor<S extends object, T>(
  clock: Clock,
  read: (store: S) => Promise<T>,
): (store: S) => Promise<T> {
  const kept = new WeakMap<S, { readonly answer: Promise<T>; readonly atMs: number }>()
  return (store) => {
    const known = kept.get(store)
    if (known !== undefined && clock.monotonic() - known.atMs < keepMs) return known.answer
    const answer = read(store)
    kept.set(store, { answer, atMs: clock.monotonic() })
    // A failure is not kept: the next caller asks again.
    answer.catch(() => kept.delete(store))
    return answer
  }
}
