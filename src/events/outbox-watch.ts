/**
 * Notices when there is something new to read: one query a store, however many wait for it, and
 * none while nobody does.
 */

import { Bell } from '../core/waiting.ts'
import type { Clock } from '../core/world.ts'
import type { Reader } from '../store/engine/database.ts'
import { outboxMark } from '../store/query/events/outbox.ts'

/** Stores are read this often: a part of what a block takes. */
const lookEveryMs = 100

/** One reader of what is new. */
export type OutboxListener = {
  /**
   * Returns whether something came since the last call; what comes later counts for the next call.
   */
  readonly take: () => boolean
  /** Resolves once there is something to take, or `signal` is aborted. */
  readonly next: (signal: AbortSignal) => Promise<void>
}

/** Watches the outboxes of all stores. */
export class OutboxWatch {
  readonly #clock: Clock
  readonly #stores: () => ReadonlyMap<string, Reader>
  readonly #words = new Map<string, string>()
  /** Number of times a store had something new, by its key. */
  readonly #changes = new Map<string, number>()
  /** Number of times everybody was woken. */
  #wakes = 0
  /** Stores read by those who wait now. */
  readonly #wanted = new Set<() => Iterable<string>>()
  /** Rings when there may be something new. */
  readonly #something = new Bell()
  #somebody = Promise.withResolvers<void>()

  constructor(clock: Clock, stores: () => ReadonlyMap<string, Reader>) {
    this.#clock = clock
    this.#stores = stores
  }

  /** A reader of the outboxes of the stores with these keys, which may change. */
  listen(keys: () => Iterable<string>): OutboxListener {
    let seen = this.#count(keys())
    return {
      take: () => {
        const before = seen
        seen = this.#count(keys())
        return seen !== before
      },
      next: async (signal) => {
        const wanted = (): Iterable<string> => keys()
        this.#wanted.add(wanted)
        this.#somebody.resolve()
        while (!signal.aborted && this.#count(keys()) === seen) await this.#something.heard(signal)
        this.#wanted.delete(wanted)
      },
    }
  }

  /** Wakes everybody who waits: what is to be sent has changed. */
  wake(): void {
    this.#wakes++
    this.#something.ring()
  }

  /** Looks until `signal` is aborted. Stores that cannot be read now are read again. */
  async run(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    const end = (): void => this.#somebody.resolve()
    signal.addEventListener('abort', end)
    while (!signal.aborted) {
      if (this.#wanted.size === 0) {
        this.#somebody = Promise.withResolvers<void>()
        await this.#somebody.promise
      }
      await this.#look(failed)
      await this.#clock.sleep(lookEveryMs, signal).catch(() => undefined)
    }
    this.wake()
  }

  #count(keys: Iterable<string>): number {
    let count = this.#wakes
    for (const key of keys) count += this.#changes.get(key) ?? 0
    return count
  }

  async #look(failed: (error: unknown) => void): Promise<void> {
    const stores = this.#stores()
    const keys = new Set([...this.#wanted].flatMap((wanted) => [...wanted()]))
    for (const key of keys) {
      const store = stores.get(key)
      if (store === undefined) continue
      try {
        const word = await outboxMark(store)
        if (this.#words.get(key) === word) continue
        this.#words.set(key, word)
        this.#changes.set(key, (this.#changes.get(key) ?? 0) + 1)
        this.#something.ring()
      } catch (error) {
        failed(error)
      }
    }
  }
}
