/** Answers kept for a while, each requested once however many want it. */

import { setBounded } from '../core/bounded-maps.ts'
import type { Clock } from '../core/world.ts'

/** Size and duration. Without `keepMs` an answer holds for ever. */
export type CacheLimits = { readonly maxEntries: number; readonly keepMs?: number }

type Kept<T> = { readonly value: T; readonly until: number }

/** A cache of answers by key; the least recently used goes first. Failures are not kept. */
export class Cache<T> {
  readonly #clock: Clock
  readonly #limits: CacheLimits
  readonly #kept = new Map<string, Kept<T>>()
  readonly #pending = new Map<string, Promise<T>>()

  constructor(clock: Clock, limits: CacheLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** The answer if it is here. */
  peek(key: string): T | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    this.#kept.delete(key)
    if (kept.until <= this.#clock.monotonic()) return undefined
    this.#kept.set(key, kept)
    return kept.value
  }

  /** Keeps an answer that came otherwise. */
  put(key: string, value: T): void {
    const { maxEntries, keepMs = Number.POSITIVE_INFINITY } = this.#limits
    const until = this.#clock.monotonic() + keepMs
    setBounded(this.#kept, key, { value, until }, maxEntries)
  }

  /**
   * The answer, from `read` when it is not here. Callers at the same time share one question, so
   * when the first of them gives up, the others read again.
   */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const kept = this.peek(key)
    if (kept !== undefined) return kept
    const running = this.#pending.get(key)
    if (running !== undefined) {
      const shared = await running.then(
        (value) => ({ value }),
        () => undefined,
      )
      return shared === undefined ? this.get(key, read) : shared.value
    }
    const pending = read()
    this.#pending.set(key, pending)
    try {
      const value = await pending
      this.put(key, value)
      return value
    } finally {
      this.#pending.delete(key)
    }
  }
}
