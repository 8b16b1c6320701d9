/** Moments at which a series of balances is told. */

import { Fault } from '../../core/fault.ts'
import { nextPeriod, periodStart, previousPeriod, unitNames } from '../../rollup/period.ts'
import { Type } from '../../shape/type.ts'

const seconds = (description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 0, maximum: 2 ** 40, description: `Unix seconds; ${description}` })

/** Parameters of a series. */
export const seriesQuery = {
  timeInterval: Type.Optional(
    Type.Enum([...unitNames], { default: 'day', description: 'Time between two points' }),
  ),
  startTimestamp: Type.Optional(seconds('default 30 intervals before the end')),
  endTimestamp: Type.Optional(seconds('default now')),
}

const defaultPoints = 30
/** Each point costs a balance of the past. */
const mostPoints = 100

/**
 * Beginnings of intervals (UTC) from the start on, and the end itself: ascending, each once. Throws
 * `bad-parameter` where there are more than 100.
 */
export function momentsOf(
  query: {
    readonly timeInterval?: (typeof unitNames)[number] | undefined
    readonly startTimestamp?: number | undefined
    readonly endTimestamp?: number | undefined
  },
  nowSeconds: number,
): number[] {
  const { timeInterval: unit = 'day', startTimestamp } = query
  const end = Math.min(query.endTimestamp ?? nowSeconds, nowSeconds)
  const moments: number[] = []
  // Moment 0 means now elsewhere.
  const start = Math.max(1, startTimestamp ?? startBefore(unit, end))
  let at = periodStart(unit, start)
  if (at < start) at = nextPeriod(unit, at)
  for (; at < end; at = nextPeriod(unit, at)) {
    if (moments.length === mostPoints - 1)
      throw new Fault('bad-parameter', `a series has at most this many points: ${mostPoints}`)
    moments.push(at)
  }
  return start <= end ? [...moments, end] : []
}

/** The beginning of the interval that lies the usual number of intervals before `end`. */
function startBefore(unit: (typeof unitNames)[number], end: number): number {
  let at = periodStart(unit, end)
  for (let back = 0; back < defaultPoints && at > 0; back++) at = previousPeriod(unit, at)
  return at
}
