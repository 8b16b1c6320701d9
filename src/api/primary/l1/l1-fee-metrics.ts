/**
 * Fees of L1 validators by day: of all, a validation, a node or a subnet. Source: official
 * clients, metrics.l1Validators; units are ours where theirs are not given.
 */

import { Fault } from '../../../core/fault.ts'
import type { networkNames } from '../../../core/network.ts'
import { L1Validators } from '../../../shape/operations/l1-validators.ts'
import type { Static } from '../../../shape/type.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { numberOfNode } from '../../../store/query/primary/addresses.ts'
import {
  accruedBefore,
  type L1Scope,
  type L1Step,
  l1Now,
  l1Steps,
} from '../../../store/query/primary/l1-validators.ts'
import { type Answer, operation, type Operation } from '../../operation/operation.ts'
import { indexedTo, idIn, nodeIdIn } from '../inputs.ts'
import { dayPoints, type PointRange } from '../lists.ts'
import { networksInOrder, type PrimaryContext } from '../network/networks.ts'

/** Of all L1 validators. */
export function totalL1Fees(context: PrimaryContext): Operation<'getTotalL1ValidatorMetrics'> {
  const past: PastDays = new WeakMap()
  return operation(L1Validators.getTotalL1ValidatorMetrics, ({ path, query }) =>
    answered(context, past, { ...path, query, scopeOn: async () => ({ kind: 'all' }) }),
  )
}

/** Of one validation. */
export function validationFees(context: PrimaryContext): Operation<'getMetricsByValidationId'> {
  const past: PastDays = new WeakMap()
  return operation(
    L1Validators.getMetricsByValidationId,
    ({ path: { metric, l1ValidationId }, query }) => {
      const id = idIn('l1ValidationId', l1ValidationId)
      return answered(context, past, {
        metric,
        query,
        scopeOn: async () => ({ kind: 'validation', id }),
      })
    },
  )
}

/** Of the validations of a node. */
export function nodeFees(context: PrimaryContext): Operation<'getMetricsByNodeId'> {
  const past: PastDays = new WeakMap()
  return operation(L1Validators.getMetricsByNodeId, ({ path: { metric, nodeId }, query }) => {
    const id = nodeIdIn('nodeId', nodeId)
    return answered(context, past, {
      metric,
      query,
      scopeOn: async (store) => ({ kind: 'node', node: (await numberOfNode(store, id)) ?? -1 }),
    })
  })
}

/** Of the validators of an L1. */
export function subnetFees(context: PrimaryContext): Operation<'getMetricsBySubnetId'> {
  const past: PastDays = new WeakMap()
  return operation(L1Validators.getMetricsBySubnetId, ({ path: { metric, subnetId }, query }) => {
    const id = idIn('subnetId', subnetId)
    return answered(context, past, { metric, query, scopeOn: async () => ({ kind: 'subnet', id }) })
  })
}

type Query = {
  readonly metric: string
  readonly query: PointRange & { readonly network?: (typeof networkNames)[number] | undefined }
  readonly scopeOn: (store: Reader) => Promise<L1Scope>
}

/** The series on the first network that knows the scope. Throws `not-found`. */
async function answered(
  { networks }: PrimaryContext,
  past: PastDays,
  { metric, query, scopeOn }: Query,
): Promise<Answer<Static<typeof L1Validators.getMetricsByNodeId.response>>> {
  const looked =
    query.network === undefined ? networksInOrder(networks) : [networks.find(query.network)]
  for (const { store } of looked) {
    const scope = await scopeOn(store)
    const steps = await l1Steps(store, scope)
    if (steps.length === 0 && scope.kind !== 'all') continue
    const height = await indexedTo(store, 'P')
    const now = await l1Now(store)
    const known = past.get(store) ?? new Map<number, bigint>()
    past.set(store, known)
    const first = steps.reduce((least, { time }) => Math.min(least, time), now.time)
    for (let day = dayOf(first); day <= now.time; day += 86_400)
      if (!known.has(day)) known.set(day, await accruedBefore(store, day))
    const days = feeDays(steps, now, (day) => known.get(day) ?? now.accrued)
    return { body: { results: dayPoints(valuesOf(days, metric), now.time, query) }, ...height }
  }
  throw new Fault('not-found', 'no L1 validation is known here for this id')
}

/**
 * Fees accrued at the ends of days, by store. Days that are over never change: each is read once.
 */
type PastDays = WeakMap<Reader, Map<number, bigint>>

/** Returns the value of a metric for each day. */
function valuesOf(days: FeeDays, metric: string): ReadonlyMap<number, bigint> {
  let sum = 0n
  const isCount = metric.includes('Paying')
  const isCumulative = metric.includes('Cumulative')
  return new Map(
    [...days].map(([day, { fees, paying }]) => {
      sum += fees
      return [day, isCount ? BigInt(paying) : isCumulative ? sum : fees]
    }),
  )
}

// Fees that L1 validations paid, by day.
//
// Every active validation pays what accrues from block to block, at most its balance. What accrues
// between the last block of a day and the next block belongs to the next day.

/** Fees of a day in nAVAX, and how many validations paid any. */
type FeeDay = { readonly fees: bigint; readonly paying: number }

/** By first second of the day, oldest first, without gaps. */
type FeeDays = ReadonlyMap<number, FeeDay>

/** Fees accrued until the start of a day. */
type AccruedBefore = (day: number) => bigint

const daySeconds = 86_400

/** First second of the day that holds `time`. */
export function dayOf(time: number): number {
  return time - (time % daySeconds)
}

/** A moment, and the fees accrued until it. */
type L1Moment = { readonly time: number; readonly accrued: bigint }

type Interval = {
  readonly validation: number
  readonly start: L1Moment
  readonly end: L1Moment
  readonly paid: bigint
}

/** Days from the first change to `now`; none without changes. */
export function feeDays(
  steps: readonly L1Step[],
  now: L1Moment,
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
  // Running numbers as numbers of each day, whole days priced.
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

/** Stretches in which validations were active, and what each paid in them. */
function intervalsOf(steps: readonly L1Step[], now: L1Moment): Interval[] {
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
