/** Turns: at most so many at once, first come first served, with every wait recorded. */

import { Fault } from '../../core/fault.ts'
import type { Waits } from './waits.ts'

/** A place where work takes turns. One permit makes it a mutex. */
export type Semaphore = {
  /**
   * Runs `work` when it is its turn. Rejects with the signal's reason when that is aborted before,
   * and throws `overloaded` when too many wait already.
   */
  readonly run: <T>(work: () => T | Promise<T>, signal?: AbortSignal) => Promise<T>
  /** Takes a permit; give it back by calling the result, once. */
  readonly acquire: (signal?: AbortSignal) => Promise<() => void>
  /** Callers that wait now. */
  readonly waiting: () => number
}

type Waiter = { readonly since: number; readonly start: () => void }

type SemaphoreOptions = {
  /** The lock's name in profiles and gauges: one of a closed set. */
  readonly name: string
  readonly permits: number
  readonly waits: Waits
  /** More would wait too long to be of use to anybody. */
  readonly maxWaiting?: number
}

/** A semaphore with all permits free. */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { name, permits, waits, maxWaiting = 10_000 } = options
  const waiters = new Set<Waiter>()
  let free = permits

  function release(): void {
    const [next] = waiters
    if (next === undefined) {
      free++
      return
    }
    waiters.delete(next)
    // Charged here, on the stack that lets the waiter go on.
    waits.record(name, waits.now() - next.since)
    next.start()
  }

  function permit(): () => void {
    let held = true
    return () => {
      if (!held) return
      held = false
      release()
    }
  }

  function acquire(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal))
    if (free > 0) {
      free--
      return Promise.resolve(permit())
    }
    if (waiters.size >= maxWaiting) {
      return Promise.reject(new Fault('overloaded', `too many wait for ${name}: ${waiters.size}`))
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(waiter)
        reject(reasonOf(signal))
      }
      const waiter: Waiter = {
        since: waits.now(),
        start: () => {
          signal?.removeEventListener('abort', leave)
          resolve(permit())
        },
      }
      waiters.add(waiter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    acquire,
    waiting: () => waiters.size,
    run: async (work, signal) => {
      const done = await acquire(signal)
      try {
        return await work()
      } finally {
        done()
      }
    },
  }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('aborted')
}
