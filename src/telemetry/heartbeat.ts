/**
 * A count that a thread adds to while its event loop turns, for others to read.
 *
 * Shared memory, because a thread that hangs answers no message. It holds a count and no time:
 * clocks of threads begin at different moments.
 */

import { setInterval as every } from 'node:timers'

/** The count of a thread, by the thread's name. */
export type Heartbeat = {
  readonly name: string
  readonly count: Int32Array<SharedArrayBuffer>
}

/** Times a second that a thread adds one. */
const beatMs = 1_000

/** A count nobody adds to yet. */
export function newHeartbeat(name: string): Heartbeat {
  return { name, count: new Int32Array(new SharedArrayBuffer(4)) }
}

/**
 * Adds to the count as long as this thread turns; it keeps no thread alive. Returns the function
 * that ends it.
 */
export function beat({ count }: Heartbeat): () => void {
  const timer = every(() => Atomics.add(count, 0, 1), beatMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Watches counts from another thread. */
export type HeartbeatWatch = {
  /** Threads that have not turned for longer than was allowed, with the milliseconds. */
  readonly silent: () => readonly { readonly name: string; readonly forMs: number }[]
}

/** Begins to watch; a thread is given the whole time from now on. `now`: milliseconds. */
export function watchHeartbeats(
  beats: readonly Heartbeat[],
  { maxSilenceMs, now }: { readonly maxSilenceMs: number; readonly now: () => number },
): HeartbeatWatch & { readonly look: () => void } {
  const seen = beats.map((heart) => ({ heart, last: Atomics.load(heart.count, 0), at: now() }))
  const look = (): void => {
    for (const one of seen) {
      const count = Atomics.load(one.heart.count, 0)
      if (count === one.last) continue
      one.last = count
      one.at = now()
    }
  }
  return {
    look,
    silent: () => {
      look()
      return seen
        .map(({ heart, at }) => ({ name: heart.name, forMs: now() - at }))
        .filter(({ forMs }) => forMs > maxSilenceMs)
    },
  }
}
