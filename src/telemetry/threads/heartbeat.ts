/**
 * A count that a thread adds to while its event loop turns, for others to read.
 *
 * Shared memory, because a thread that hangs answers no message. It holds a count and no time:
 * clocks of threads begin at different moments.
 */

import { setInterval as every } from 'node:timers'

/** The count of a thread. */
export type Heartbeat = {
  /** Of all threads that this process ever had; a name may return. */
  readonly id: number
  readonly name: string
  readonly count: Int32Array<SharedArrayBuffer>
}

/** Times a second that a thread adds one. */
const beatMs = 1_000

/** A count nobody adds to yet. */
export function newHeartbeat(id: number, name: string): Heartbeat {
  return { id, name, count: new Int32Array(new SharedArrayBuffer(4)) }
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
  /** Watches these from now on, and no others; one that is new is given the whole time. */
  readonly watch: (beats: readonly Heartbeat[]) => void
  readonly look: () => void
  /** Threads that have been blocked for longer than was allowed, with the milliseconds. */
  readonly silent: () => readonly { readonly name: string; readonly forMs: number }[]
}

type Seen = { readonly heart: Heartbeat; last: number; at: number }

/** A watch of nothing yet. `now`: milliseconds. */
export function watchHeartbeats({
  maxSilenceMs,
  now,
}: {
  readonly maxSilenceMs: number
  readonly now: () => number
}): HeartbeatWatch {
  let seen = new Map<number, Seen>()
  const look = (): void => {
    for (const one of seen.values()) {
      const count = Atomics.load(one.heart.count, 0)
      if (count === one.last) continue
      one.last = count
      one.at = now()
    }
  }
  return {
    watch: (beats) => {
      const seenNow = (heart: Heartbeat): Seen =>
        seen.get(heart.id) ?? { heart, last: Atomics.load(heart.count, 0), at: now() }
      seen = new Map(beats.map((heart) => [heart.id, seenNow(heart)]))
    },
    look,
    silent: () => {
      look()
      return [...seen.values()]
        .map(({ heart, at }) => ({ name: heart.name, forMs: now() - at }))
        .filter(({ forMs }) => forMs > maxSilenceMs)
    },
  }
}
