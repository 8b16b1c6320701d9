/**
 * Work that several callers want at the same time is done once, and no more than so much at once.
 */

import { Fault } from '../../core/fault.ts'
import { unlessAborted } from '../../core/waiting.ts'

type Job<T> = { readonly result: Promise<T>; readonly stop: AbortController; callers: number }

/** Jobs by key. A job ends early when all of its callers have gone. */
export class SharedWork<T> {
  readonly #jobs = new Map<string, Job<T>>()
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0
  #closed = false

  constructor(limits: { readonly maxRunning: number; readonly maxWaiting: number }) {
    this.#maxRunning = limits.maxRunning
    this.#maxWaiting = limits.maxWaiting
  }

  /** Jobs that run or wait. */
  get size(): number {
    return this.#jobs.size
  }

  /**
   * The result of `work` for `key`. Rejects with the signal's reason when that is aborted, with
   * `overloaded` when too many jobs wait already, and with `not-served` after `close`.
   */
  async do(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted()
    if (this.#closed) throw new Fault('not-served', 'shutting down')
    const job = this.#jobs.get(key) ?? this.#begin(key, work)
    job.callers++
    try {
      return await unlessAborted(job.result, signal)
    } finally {
      job.callers--
      if (job.callers === 0) job.stop.abort(new Fault('not-served', 'all callers stopped waiting'))
    }
  }

  /** Ends every job, and takes no more. */
  close(): void {
    this.#closed = true
    for (const { stop } of this.#jobs.values()) {
      stop.abort(new Fault('not-served', 'shutting down'))
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Job<T> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new Fault('overloaded', `too many aggregations wait: ${this.#waiting.length}`)
    }
    const stop = new AbortController()
    const job = { stop, callers: 0, result: this.#run(work, stop.signal) }
    this.#jobs.set(key, job)
    const forget = (): void => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key)
    }
    job.result.then(
      () => forget(),
      () => forget(),
    )
    // A job all callers left must not be joined: it is about to fail.
    stop.signal.addEventListener('abort', forget, { once: true })
    return job
  }

  async #run(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running >= this.#maxRunning) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running++
    try {
      signal.throwIfAborted()
      return await work(signal)
    } finally {
      // The place goes to who waits longest, or is free.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
