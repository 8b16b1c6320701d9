/** Waiting: for a value, in turns, after failures, for a bell, no longer than a time. */

import type { Clock } from './world.ts'

/**
 * Gives what `make` makes at the first call, at every call: a value that not every process needs.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/**
 * Milliseconds after so many failures before: the first pause doubled for each, up to the longest
 * where there is one.
 */
export function growingPause(
  failures: number,
  {
    firstMs,
    longestMs = Number.POSITIVE_INFINITY,
  }: { readonly firstMs: number; readonly longestMs?: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** failures)
}

/** A queue that is empty. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Does `work` once all that was handed in before is done. A failure is its caller's alone. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves once all that was handed in so far is done. */
  async idle(): Promise<void> {
    await this.#last
  }
}

/**
 * A bell that any number of waits hear. A wait that ends by its signal leaves nothing behind, as
 * one in a race with a promise would that lives until the bell rings.
 */
export class Bell {
  readonly #ears = new Set<() => void>()

  /** Ends the waits of now; later ones wait for the next time. */
  ring(): void {
    for (const heard of this.#ears) heard()
  }

  /** Resolves when the bell rings, or `signal` is aborted. */
  async heard(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#ears.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    this.#ears.delete(wake)
    signal.removeEventListener('abort', wake)
  }
}

/**
 * Returns what `work` gives within `ms`; after that what `late` gives, which may throw. `work` is
 * not ended, unless `late` does so.
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

/** Gives what `work` gives; rejects with the reason of `signal` once that is aborted. `work` is not ended by it. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
