/**
 * Counts what callers use, together with the other processes of the deployment.
 *
 * Units are taken from the store before they are used, some at a time: all processes together never
 * give a caller more than its limit, and most requests wait for nothing. What is taken and not used for
 * a second is given back. A store that is away makes no request wait long: each process then counts for
 * itself.
 */

import { setBounded } from '../../../core/bounded-maps.ts'
import { itemAt } from '../../../core/item-at.ts'
import { WorkQueue } from '../../../core/waiting.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database, MaybePromise } from '../../../store/engine/database.ts'
import { type AddedUse, addUse, storeKeyUses, type Use } from '../../../store/query/api-use.ts'
import type { Log } from '../../../telemetry/log.ts'
import { syncUntil } from '../../operation/sync-until.ts'
import type { RateLimit } from './rate-limit.ts'

/** Compute units that a caller used in this minute and on this day, over all processes. */
export type UseCounter = {
  readonly of: (caller: string) => Use
  /** Counts units; false where the limit has no room for them, which counts nothing. */
  readonly take: (caller: string, units: number, limit: RateLimit) => MaybePromise<boolean>
  /** A key was used now. */
  readonly touch: (keyId: string) => void
  /** Adds what is left to the store, and stops. */
  readonly close: () => Promise<void>
}

type UseCounterOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Opens the store, when something is to be kept for the first time; absent: none is kept. */
  readonly open?: () => Promise<Database>
}

// About 200 bytes each: at most 20 MB for callers seen within a day.
const maxCallers = 100_000

/** Callers exchanged in one transaction; the rest waits for the next. */
const maxPerSync = 2_000

/** A process takes a share of what is left, so that others find some; at the end one request's worth. */
const shareTaken = 1 / 8

/** Unused credit is given back after this. */
const idleMs = 1_000

type Caller = {
  /** Units that all processes took, as far as this one knows. */
  readonly total: { minute: number; minuteUsed: number; day: number; dayUsed: number }
  /** Units of this minute that this process took and did not use yet. */
  credit: number
  /** Units that are still to be added to the store; below 0 what is given back. */
  readonly owed: { minuteUsed: number; dayUsed: number }
  usedMs: number
  /** While more is taken. */
  taking?: Promise<void> | undefined
}

/** A counter before its first use. */
export function createUseCounter(options: UseCounterOptions): UseCounter {
  return new SharedCounter(options)
}

class SharedCounter implements UseCounter {
  readonly #options: UseCounterOptions
  readonly #callers = new Map<string, Caller>()
  /** Callers whose sums are to be exchanged. */
  readonly #changed = new Set<string>()
  readonly #exchanges = new WorkQueue()
  readonly #over = new AbortController()
  #touched = new Map<string, number>()
  #store: Database | undefined
  #running: Promise<void> | undefined
  /** An exchange that has not begun, and takes all that is requested until then. */
  #next: Promise<void> | undefined
  #isAway: boolean

  constructor(options: UseCounterOptions) {
    this.#options = options
    this.#isAway = options.open === undefined
  }

  readonly of: UseCounter['of'] = (caller) => {
    const { total, credit } = this.#current(caller)
    return { ...total, minuteUsed: total.minuteUsed - credit, dayUsed: total.dayUsed - credit }
  }

  readonly take: UseCounter['take'] = (caller, units, limit) => {
    this.#start()
    const one = this.#current(caller)
    if (one.credit >= units) {
      one.credit -= units
      one.usedMs = this.#options.clock.monotonic()
      return true
    }
    const left = leftOf(one, limit)
    if (one.credit + left < units) {
      // Others may have given some back: the next exchange shows it.
      this.#changed.add(caller)
      return false
    }
    if (this.#isAway) {
      this.#add(caller, one, units)
      return true
    }
    const wanted = Math.max(units - one.credit, Math.floor(left * shareTaken))
    one.taking ??= this.#takeMore(caller, wanted, limit).finally(() => (one.taking = undefined))
    return one.taking.then(() => this.take(caller, units, limit))
  }

  readonly touch: UseCounter['touch'] = (keyId) => {
    this.#touched.set(keyId, Math.floor(this.#options.clock.now() / 1_000))
    this.#start()
  }

  readonly close: UseCounter['close'] = async () => {
    for (const one of this.#callers.values()) one.usedMs = Number.NEGATIVE_INFINITY
    this.#over.abort()
    await this.#running
    await this.#store?.close()
  }

  #start(): void {
    if (this.#options.open === undefined) return
    const warning = 'use of the API is counted by this process alone'
    this.#running ??= syncUntil(this.#over.signal, () => this.#sync(), {
      ...this.#options,
      warning,
    })
  }

  #current(caller: string): Caller {
    const found = this.#callers.get(caller) ?? {
      total: { minute: 0, minuteUsed: 0, day: 0, dayUsed: 0 },
      credit: 0,
      owed: { minuteUsed: 0, dayUsed: 0 },
      usedMs: 0,
    }
    turn(found, Math.floor(this.#options.clock.now() / 1_000))
    setBounded(this.#callers, caller, found, maxCallers)
    return found
  }

  #add(name: string, one: Caller, units: number): void {
    for (const count of [one.owed, one.total]) {
      count.minuteUsed += units
      count.dayUsed += units
    }
    this.#changed.add(name)
  }

  /** Takes units of the store, and more than is requested while much is left. */
  async #takeMore(name: string, wanted: number, limit: RateLimit): Promise<void> {
    const one = this.#current(name)
    const { minute } = one.total
    this.#add(name, one, wanted)
    try {
      await this.#exchange()
    } catch {
      this.#isAway = true
    }
    this.#current(name)
    if (one.total.minute !== minute) {
      one.owed.dayUsed -= wanted
      return
    }
    // Other processes took some meanwhile.
    const excess = Math.min(wanted, -Math.min(0, leftOf(one, limit)))
    if (excess > 0) this.#add(name, one, -excess)
    one.credit += wanted - excess
  }

  /** Once a second unused credit goes back. */
  async #sync(): Promise<void> {
    for (const [name, one] of this.#callers) {
      if (one.credit === 0 || this.#options.clock.monotonic() - one.usedMs < idleMs) continue
      this.#add(name, one, -one.credit)
      one.credit = 0
    }
    await this.#exchange()
  }

  #exchange(): Promise<void> {
    this.#next ??= this.#exchanges.run(() => {
      this.#next = undefined
      return this.#exchangeNow()
    })
    return this.#next
  }

  async #exchangeNow(): Promise<void> {
    const { open, clock } = this.#options
    if (open === undefined || this.#changed.size + this.#touched.size === 0) return
    const store = (this.#store ??= await open())
    const uses = this.#touched
    this.#touched = new Map()
    if (uses.size > 0) await storeKeyUses(store, uses)
    const names = [...this.#changed].slice(0, maxPerSync).toSorted()
    for (const name of names) this.#changed.delete(name)
    const added = names.map((caller): AddedUse => {
      const { total, owed } = this.#current(caller)
      return { ...total, ...owed, caller }
    })
    if (added.length === 0) return
    try {
      const sums = await addUse(store, added, Math.floor(clock.now() / 86_400_000))
      sums.forEach((sum, at) => this.#merge(itemAt(added, at), sum))
      this.#isAway = false
    } catch (error) {
      for (const name of names) this.#changed.add(name)
      throw error
    }
  }

  /**
   * Takes over the sum of all processes; what this process counted meanwhile is still to be
   * stored.
   */
  #merge(stored: AddedUse, sum: Use): void {
    const { total, owed } = this.#current(stored.caller)
    if (stored.minute === total.minute) owed.minuteUsed -= stored.minuteUsed
    if (stored.day === total.day) owed.dayUsed -= stored.dayUsed
    if (sum.minute === total.minute) total.minuteUsed = sum.minuteUsed + owed.minuteUsed
    if (sum.day === total.day) total.dayUsed = sum.dayUsed + owed.dayUsed
  }
}

function leftOf({ total }: Caller, { perMinute, perDay }: RateLimit): number {
  return Math.min(perMinute - total.minuteUsed, perDay - total.dayUsed)
}

/** Begins a new window where the old one is over. What is left of a minute goes back to its day. */
function turn(one: Caller, seconds: number): void {
  const { total, owed } = one
  const minute = Math.floor(seconds / 60)
  const day = Math.floor(seconds / 86_400)
  if (total.minute !== minute) {
    for (const count of [total, owed]) {
      count.minuteUsed = 0
      count.dayUsed -= one.credit
    }
    total.minute = minute
    one.credit = 0
  }
  if (total.day === day) return
  for (const count of [total, owed]) count.dayUsed = 0
  total.day = day
}
