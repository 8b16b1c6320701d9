/**
 * Fees that L1 validations paid, by day.
 *
 * Every active validation pays what accrues from block to block, at most its balance. What accrues
 * between the last block of a day and the next block belongs to the next day.
 */

import type { L1Step } from '../../store/query/primary/l1-validators.ts'

/** Fees of a day in nAVAX, and how many validations paid any. */
export type FeeDay = { readonly fees: bigint; readonly paying: number }

/** By first second of the day, oldest first, without gaps. */
export type FeeDays = ReadonlyMap<number, FeeDay>

/** Fees accrued until the start of a day. */
export type AccruedBefore = (day: number) => bigint

const daySeconds = 86_400

/** First second of the day that holds `time`. */
export function dayOf(time: number): number {
  return time - (time % daySeconds)
}

type Interval = {
  readonly validation: number
  readonly start: { readonly time: number; readonly accrued: bigint }
  readonly end: { readonly time: number; readonly accrued: bigint }
  readonly paid: bigint
}

/** Days from the first change to `now`; none without changes. */
export function feeDays(
  steps: readonly L1Step[],
  now: { readonly time: number; readonly accrued: bigint },
  accruedBefore: AccruedBefore,
): FeeDays {
  const intervals = intervalsOf(steps, now)
  const first = steps.reduce((least, { time }) => Math.min(least, time), now.time)
  const days = new Map<number, { fees: bigint; whole: number; paying: number }>()
  if (steps.length === 0) return new Map()
  for (let day = dayOf(first); day <= now.time; day += daySeconds)
    days.set(day, { fees: 0n, whole: 0, paying: 0 })
  const marked = new Map<number, number>()
  for (const interval of intervals) addInterval(days, interval, accruedBefore, marked)
  return summed(days, accruedBefore)
}

/** Stretches in which validations were active, and what each paid in them. */
function intervalsOf(
  steps: readonly L1Step[],
  now: { readonly time: number; readonly accrued: bigint },
): Interval[] {
  const intervals: Interval[] = []
  for (const [at, start] of steps.entries()) {
    if (!start.active) continue
    const next = steps[at + 1]
    const end = next?.validation === start.validation ? next : undefined
    const { validation } = start
    if (end === undefined) {
      intervals.push({ validation, start, end: now, paid: now.accrued - start.accrued })
    } else {
      // A balance that ran out paid no more than there was.
      const paid = start.remainingBalance + end.balanceChange - end.remainingBalance
      intervals.push({ validation, start, end, paid })
    }
  }
  return intervals
}

type Days = Map<number, { fees: bigint; whole: number; paying: number }>

function addInterval(
  days: Days,
  { validation, start, end, paid }: Interval,
  accruedBefore: AccruedBefore,
  marked: Map<number, number>,
): void {
  const first = dayOf(start.time)
  const last = dayOf(end.time)
  let inLast = paid
  if (first !== last) {
    const inFirst = accruedBefore(first + daySeconds) - start.accrued
    inLast = paid - (accruedBefore(last) - start.accrued)
    addTo(days, first, inFirst)
    // The days between are whole ones: they are counted here and priced once for all.
    change(days, first + daySeconds, 'whole', 1)
    change(days, last, 'whole', -1)
  }
  addTo(days, last, inLast)
  const until = inLast > 0n || first === last ? last + daySeconds : last
  const from = Math.max(first, marked.get(validation) ?? 0)
  if (paid === 0n || from >= until) return
  marked.set(validation, until)
  change(days, from, 'paying', 1)
  change(days, until, 'paying', -1)
}

function addTo(days: Days, day: number, fees: bigint): void {
  const entry = days.get(day)
  if (entry !== undefined) entry.fees += fees
}

function change(days: Days, day: number, name: 'whole' | 'paying', by: number): void {
  const entry = days.get(day)
  if (entry !== undefined) entry[name] += by
}

/** Running numbers as numbers of each day, whole days priced. */
function summed(days: Days, accruedBefore: AccruedBefore): FeeDays {
  const result = new Map<number, FeeDay>()
  let whole = 0
  let paying = 0
  for (const [day, entry] of days) {
    whole += entry.whole
    paying += entry.paying
    const price = whole === 0 ? 0n : accruedBefore(day + daySeconds) - accruedBefore(day)
    result.set(day, { fees: entry.fees + BigInt(whole) * price, paying })
  }
  return result
}
