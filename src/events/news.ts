/** Tells when there is something new to read: one question a store, however many wait. */

import type { Clock } from '../core/world.ts'
import type { Reader } from '../store/engine/database.ts'
import { outboxNews } from '../store/query/events/outbox.ts'

/** Stores are asked this often: a part of what a block takes. */
const lookEveryMs = 100

/** News of the outboxes of all stores. */
export class News {
  readonly #clock: Clock
  readonly #stores: () => ReadonlyMap<string, Reader>
  readonly #words = new Map<string, string>()
  #waiting = Promise.withResolvers<void>()

  constructor(clock: Clock, stores: () => ReadonlyMap<string, Reader>) {
    this.#clock = clock
    this.#stores = stores
  }

  /** Resolves once a store has something new, or `signal` is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    const { promise } = this.#waiting
    if (signal.aborted) return
    const aborted = Promise.withResolvers<void>()
    const abort = (): void => aborted.resolve()
    signal.addEventListener('abort', abort)
    await Promise.race([promise, aborted.promise])
    signal.removeEventListener('abort', abort)
  }

  /** Wakes everybody who waits: what is to be told has changed. */
  wake(): void {
    const { resolve } = this.#waiting
    this.#waiting = Promise.withResolvers<void>()
    resolve()
  }

  /** Looks until `signal` is aborted. Stores that cannot be read now are asked again. */
  async run(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#changed()) this.wake()
      } catch (error) {
        failed(error)
      }
      await this.#clock.sleep(lookEveryMs, signal).catch(() => undefined)
    }
    this.wake()
  }

  async #changed(): Promise<boolean> {
    let changed = false
    for (const [key, store] of this.#stores()) {
      const word = await outboxNews(store)
      if (this.#words.get(key) === word) continue
      this.#words.set(key, word)
      changed = true
    }
    return changed
  }
}
