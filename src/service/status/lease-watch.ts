/** Shows a process that only reads a store whether another one indexes it. */

import type { Clock } from '../../core/world.ts'
import type { Reader } from '../../store/engine/database.ts'
import { leaseRow, leaseTtlMs } from '../../store/lease.ts'

/** Longest time between two looks at a lease that says nothing about its holder. */
const graceMs = leaseTtlMs * 2

/**
 * Watches the leases of stores. A holder renews its lease every second, so one that stands still
 * has no holder. Clocks of two machines are compared at the first look only.
 */
export class LeaseWatch {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Milliseconds since the store `key` was last indexed by anybody; 0 while it is. */
  async silentMs(key: string, store: Reader): Promise<number> {
    const row = await leaseRow(store)
    const now = this.#clock.monotonic()
    const mark = row === undefined ? '' : `${row.epoch} ${row.stamp}`
    const before = this.#seen.get(key)
    if (before?.mark !== mark) {
      const age = row === undefined ? 0 : Math.max(0, this.#clock.now() - row.stamp)
      this.#seen.set(key, { mark, sinceMs: before === undefined ? now - age : now })
    }
    const silentMs = now - (this.#seen.get(key)?.sinceMs ?? now)
    return silentMs > graceMs ? silentMs : 0
  }
}
