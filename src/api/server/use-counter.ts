/**
 * Counts what callers use, together with the other processes of the deployment.
 *
 * A request is counted here at once; once a second each process adds what it counted to the store
 * and learns what all of them counted. Within that second a caller may use its limit once per
 * process. A store that is away makes no request wait: each process then counts for itself.
 */

import { itemAt } from '../../core/item-at.ts'
import { setBounded } from '../../core/set-bounded.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { addUse, storeKeyUses, type Use } from '../../store/query/api-use.ts'
import type { Log } from '../../telemetry/log.ts'
import { syncUntil } from '../operation/sync-until.ts'

/** Compute units that a caller used in this minute and on this day, over all processes. */
export type UseCounter = {
  readonly of: (caller: string) => Use
  readonly add: (caller: string, units: number) => void
  /** A key was used now. */
  readonly touch: (keyId: string) => void
  /** Adds what is left to the store, and stops. */
  readonly close: () => Promise<void>
}

/** Parameters of {@link createUseCounter}. */
export type UseCounterParts = {
  readonly clock: Clock
  readonly log: Log
  /** Opens the store, when something is to be kept for the first time; absent: none is kept. */
  readonly open?: () => Promise<Database>
}

// About 200 bytes each: at most 20 MB for callers seen within a day.
const maxCallers = 100_000

/** Between two exchanges with the store. */

/** Callers exchanged in one transaction; the rest waits for the next. */
const maxPerSync = 2_000

type Count = { minute: number; minuteUsed: number; day: number; dayUsed: number }

type Caller = {
  /** Use over all processes, as far as this process knows it. */
  readonly total: Count
  /** Use that this process counted and has not stored yet. */
  readonly own: Count
}

/** A counter of which nobody has used anything. */
export function createUseCounter(parts: UseCounterParts): UseCounter {
  const { clock } = parts
  const callers = new Map<string, Caller>()
  const changed = new Set<string>()
  let touched = new Map<string, number>()
  const over = new AbortController()
  let store: Database | undefined
  let running: Promise<void> | undefined

  const current = (caller: string): Caller => currentOf(callers, caller, clock)

  async function exchange(): Promise<void> {
    if (parts.open === undefined || changed.size + touched.size === 0) return
    store ??= await parts.open()
    const uses = touched
    touched = new Map()
    if (uses.size > 0) await storeKeyUses(store, uses)
    const names = [...changed].slice(0, maxPerSync).toSorted()
    for (const name of names) changed.delete(name)
    const added = names.map((caller) => ({ caller, ...current(caller).own }))
    if (added.length === 0) return
    try {
      const sums = await addUse(store, added, Math.floor(clock.now() / 86_400_000))
      sums.forEach((sum, at) => {
        const stored = itemAt(added, at)
        const caller = callers.get(stored.caller)
        if (caller !== undefined) merge(caller, stored, sum)
      })
    } catch (error) {
      for (const name of names) changed.add(name)
      throw error
    }
  }

  const start = (): void => {
    if (parts.open === undefined) return
    const warning = 'use of the API is counted by this process alone'
    running ??= syncUntil(over.signal, exchange, { ...parts, warning })
  }

  return {
    of: (caller) => current(caller).total,
    add: (caller, units) => {
      const { total, own } = current(caller)
      for (const count of [total, own]) {
        count.minuteUsed += units
        count.dayUsed += units
      }
      changed.add(caller)
      start()
    },
    touch: (keyId) => {
      touched.set(keyId, Math.floor(clock.now() / 1_000))
      start()
    },
    close: async () => {
      over.abort()
      await running
      await store?.close()
    },
  }
}

/** The present windows of a caller, which becomes the newest of `callers`. */
function currentOf(callers: Map<string, Caller>, caller: string, clock: Clock): Caller {
  const seconds = Math.floor(clock.now() / 1_000)
  const found = callers.get(caller) ?? { total: noCount(), own: noCount() }
  for (const count of [found.total, found.own]) turn(count, seconds)
  setBounded(callers, caller, found, maxCallers)
  return found
}

function noCount(): Count {
  return { minute: 0, minuteUsed: 0, day: 0, dayUsed: 0 }
}

/** Begins a new window where the old one is over. */
function turn(count: Count, seconds: number): void {
  const minute = Math.floor(seconds / 60)
  const day = Math.floor(seconds / 86_400)
  if (count.minute !== minute) Object.assign(count, { minute, minuteUsed: 0 })
  if (count.day !== day) Object.assign(count, { day, dayUsed: 0 })
}

/** Takes over a sum of all processes; what was counted here meanwhile is still to be stored. */
function merge({ total, own }: Caller, stored: Use, sum: Use): void {
  if (own.minute === stored.minute) own.minuteUsed -= stored.minuteUsed
  if (own.day === stored.day) own.dayUsed -= stored.dayUsed
  if (sum.minute === total.minute) total.minuteUsed = sum.minuteUsed + own.minuteUsed
  if (sum.day === total.day) total.dayUsed = sum.dayUsed + own.dayUsed
}
