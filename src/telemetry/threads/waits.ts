/**
 * Waits that happen inside the process: who had to wait for whom, and how long.
 *
 * Threads of JavaScript share no locks, but work still queues: for a writer, for a database, for a
 * worker, for a free place among outgoing requests. Every such wait is recorded here and becomes
 * the lock profile. A delay is charged to the code that let the waiter go on, as Go does; where
 * nobody of ours did, to the code that waited.
 *
 * Source of the meaning: Go runtime/mprof.go, mutex profile.
 */

/** Delays of one lock released at one place. */
export type WaitSample = {
  readonly lock: string
  /** Call stack in V8's text form, innermost first; empty when none was taken. */
  readonly stack: string
  readonly count: number
  readonly delayMs: number
}

/** The waits of a thread. */
export type Waits = {
  /** Milliseconds, never going back. */
  readonly now: () => number
  /** One wait of `delayMs`, charged to the caller. `lock` comes from a closed set of names. */
  readonly record: (lock: string, delayMs: number) => void
  /** Everything since the start of the thread. */
  readonly samples: () => readonly WaitSample[]
}

/** Called for every wait, for gauges. */
export type WaitWatcher = (lock: string, delayMs: number) => void

// A shorter wait is the cost of the call, not of waiting. Go's own grain.
const shortestMs = 0.001

// A stack costs some 20 µs: a hundred a second of one lock stay below 0.2 % of a core. Waits in
// between count for the last place seen.
const maxStacksPerSecond = 100

// Places that release locks are few; an unexpected many must not fill the memory.
const maxPlaces = 4_096

type Place = { count: number; delayMs: number }
type Lock = {
  readonly places: Map<string, Place>
  last: Place | undefined
  second: number
  taken: number
}

/** Waits of this thread, none yet. */
export function createWaits(now: () => number, watch: WaitWatcher = () => undefined): Waits {
  const locks = new Map<string, Lock>()
  let places = 0

  function placeOf(lock: Lock): Place {
    const second = Math.floor(now() / 1_000)
    if (lock.second !== second) {
      lock.second = second
      lock.taken = 0
    }
    if (lock.last !== undefined && lock.taken >= maxStacksPerSecond) return lock.last
    lock.taken++
    const stack = places < maxPlaces ? callStack() : ''
    let place = lock.places.get(stack)
    if (place === undefined) {
      place = { count: 0, delayMs: 0 }
      lock.places.set(stack, place)
      places++
    }
    lock.last = place
    return place
  }

  return {
    now,
    record: (name, delayMs) => {
      if (delayMs < shortestMs) return
      let lock = locks.get(name)
      if (lock === undefined) {
        lock = { places: new Map(), last: undefined, second: -1, taken: 0 }
        locks.set(name, lock)
      }
      const place = placeOf(lock)
      place.count++
      place.delayMs += delayMs
      watch(name, delayMs)
    },
    samples: () =>
      [...locks].flatMap(([lock, held]) =>
        [...held.places].map(([stack, { count, delayMs }]) => ({ lock, stack, count, delayMs })),
      ),
  }
}

/**
 * Awaits `promise` and records how long that took as a wait for `lock`: for what another thread or
 * the database does for us, where nobody here lets the waiter go on.
 */
export async function waitOn<T>(waits: Waits, lock: string, promise: Promise<T>): Promise<T> {
  const since = waits.now()
  try {
    return await promise
  } finally {
    waits.record(lock, waits.now() - since)
  }
}

/** Stack of the caller of `record`: this file's own two frames are left out. */
function callStack(): string {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 24
  const stack = new Error('place').stack ?? ''
  Error.stackTraceLimit = before
  return stack.split('\n').slice(4).join('\n')
}
