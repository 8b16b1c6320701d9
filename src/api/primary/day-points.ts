/** Series of days as points, newest first. */

import type { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { wideInteger } from './numbers-view.ts'

const daySeconds = 86_400

/** A range of points; `before` is where the page before ended. */
export type PointRange = {
  readonly startTimestamp?: number | undefined
  readonly endTimestamp?: number | undefined
}

/**
 * Points of every day from the first of `values` (oldest first) to that of `now`; a day without a
 * value has that of the day before. Values above 2^53 keep all their digits.
 */
export function dayPoints(
  values: ReadonlyMap<number, bigint>,
  now: number,
  { startTimestamp = -1, endTimestamp = Infinity }: PointRange,
): MetricPoint[] {
  const points: MetricPoint[] = []
  const [first] = values.keys()
  if (first === undefined) return points
  let value = 0n
  for (let day = first; day <= now; day += daySeconds) {
    value = values.get(day) ?? value
    if (day > startTimestamp && day < endTimestamp)
      points.push({ value: wideInteger(value), timestamp: day })
  }
  return points.toReversed()
}
