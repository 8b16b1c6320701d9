/** When stake ends, week by week. */

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import type { Validator } from '../../../shape/primary/validator.ts'

const navax = 1_000_000_000
const week = 604_800

/** Stake with delegations by the week (from Thursday on, as Unix time began) its validator ends. */
export function endsPerWeek(
  all: readonly Pick<Validator, 'endTimestamp' | 'amountStaked' | 'amountDelegated'>[],
): MetricPoint[] {
  const byWeek = new Map<number, number>()
  for (const { endTimestamp, amountStaked, amountDelegated = '0' } of all) {
    const timestamp = Math.floor(endTimestamp / week) * week
    const stake = (Number(amountStaked) + Number(amountDelegated)) / navax
    byWeek.set(timestamp, (byWeek.get(timestamp) ?? 0) + stake)
  }
  const weeks = [...byWeek.keys()].toSorted((a, b) => a - b)
  const [first] = weeks
  if (first === undefined) return []
  const size = ((weeks.at(-1) ?? first) - first) / week + 1
  // Weeks in which nothing ends are points too; a single bar has no width.
  return Array.from({ length: Math.max(size, 8) }, (_, at) => {
    const timestamp = first + at * week
    return { timestamp, value: byWeek.get(timestamp) ?? 0 }
  })
}
