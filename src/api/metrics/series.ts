/** Pages of a series: which periods a page holds, and their values. */

import { itemAt } from '../../core/item-at.ts'
import type { AddressUnion, UnionChain } from '../../rollup/address-union.ts'
import { periodStart, previousPeriod, units, type Unit } from '../../rollup/period.ts'
import { isDayMetric, type MetricName } from '../../shape/metrics/metric-names.ts'
import type { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { unitBounds, unitPeriods } from '../../store/query/metrics/days.ts'
import { daySeries } from './day-series.ts'

/** A question: points of `unit` strictly between two moments, before `before`, newest first. */
export type SeriesRequest = {
  readonly chains: readonly UnionChain[]
  readonly metric: MetricName
  readonly unit: Unit
  readonly after?: number | undefined
  readonly until?: number | undefined
  readonly before?: number | undefined
  /** Unix seconds up to which nothing more is known to have happened; see `knownUntil`. */
  readonly end?: number
  readonly limit: number
}

/**
 * The points of a page. Periods without blocks between the first and the newest, or `end`, are
 * there too: zero, or the sum so far for cumulative metrics.
 */
export async function seriesPage(
  request: SeriesRequest,
  union: AddressUnion,
): Promise<MetricPoint[]> {
  const starts = await pageStarts(request)
  const newest = starts[0]
  const oldest = starts[starts.length - 1]
  if (newest === undefined || oldest === undefined) return []
  const { chains, metric, unit } = request
  if (isDayMetric(metric)) {
    const { values, reach } = await daySeries(chains, metric, union)
    if (reach !== 'each') return repeated(starts, values, reach)
    return starts.map((start) => point(start, values.get(start) ?? 0))
  }
  const range = { from: oldest, until: newest + 1 }
  const sums = new Map<number, number>()
  for (const chain of chains) {
    for (const period of await unitPeriods(chain.store, units[unit], range)) {
      sums.set(period.start, (sums.get(period.start) ?? 0) + period[metric])
    }
  }
  if (chains.length > 1 && (metric === 'activeAddresses' || metric === 'activeSenders')) {
    const set = metric === 'activeAddresses' ? 'addresses' : 'senders'
    for (const start of sums.keys()) sums.set(start, await union.count(chains, set, unit, start))
  }
  return starts.map((start) => point(start, sums.get(start) ?? 0))
}

function point(timestamp: number, value: number): MetricPoint {
  return { value, timestamp }
}

/** First seconds of the periods of a page, newest first. */
async function pageStarts(request: SeriesRequest): Promise<number[]> {
  const { unit, after = -1, until = Infinity, before = Infinity, limit, end = 0 } = request
  let first = Infinity
  let last = -Infinity
  for (const chain of request.chains) {
    const bounds = await unitBounds(chain.store, units[unit])
    if (bounds === undefined) continue
    first = Math.min(first, bounds.first)
    last = Math.max(last, bounds.last)
  }
  if (Number.isFinite(last)) last = Math.max(last, periodStart(unit, end))
  const below = Math.min(until, before)
  if (below <= last) last = periodStart(unit, Math.max(0, Math.ceil(below) - 1))
  const starts: number[] = []
  let start = last
  while (starts.length < limit && start >= first && start > after) {
    starts.push(start)
    if (start === 0) break
    start = previousPeriod(unit, start)
  }
  return starts
}

/** Sums at `starts` (newest first): the last known through that day, or before it. */
function repeated(
  starts: readonly number[],
  values: ReadonlyMap<number, number>,
  reach: 'through' | 'before',
): MetricPoint[] {
  const known = [...values].sort(([a], [b]) => b - a)
  const late = reach === 'through' ? 0 : 1
  let at = 0
  return starts.map((start) => {
    while (at < known.length && itemAt(known, at)[0] + late > start) at++
    // Before the first day there is nothing to sum.
    return point(start, at === known.length ? 0 : itemAt(known, at)[1])
  })
}
