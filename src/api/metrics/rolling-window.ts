import type { AddressUnion, UnionChain } from '../../rollup/address-union.ts'
import { periodStart } from '../../rollup/period.ts'
import { isDayMetric, type MetricName } from '../../shape/metrics/metric-names.ts'
import { Metrics } from '../../shape/operations/metrics.ts'
import { newestBlockMs } from '../../store/query/metrics/days.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { MetricsContext } from './metrics-context.ts'
import { chainsOf, counted, knownUntil } from './scope.ts'
import { seriesPage } from './series.ts'

const hour = 3_600

const day = 24 * hour

/** Values of all windows, each by the length of its window in seconds. */
export function inWindows(
  value: (seconds: number) => number,
): Record<(typeof windowNames)[number], number> {
  return {
    lastHour: value(hour),
    lastDay: value(day),
    lastWeek: value(7 * day),
    lastMonth: value(30 * day),
    last90Days: value(90 * day),
    lastYear: value(365 * day),
    allTime: value(Infinity),
  }
}

/** Neighbour of document C. Windows end with the newest block, on a live chain later; see `knownUntil`. */
export function rollingWindow({
  chains,
  union,
}: MetricsContext): Operation<'getRollingWindowMetrics'> {
  return operation(Metrics.getRollingWindowMetrics, async ({ path }) => {
    const served = chainsOf(chains, path.chainId)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape allows these names only
    const metric = path.metric as MetricName
    const { chains: over, headers } = await counted(served, metric)
    let newest = await knownUntil(served)
    for (const { store } of over) {
      newest = Math.max(newest, Math.floor((await newestBlockMs(store)) / 1_000))
    }
    const result = inWindows((seconds) => seconds)
    for (const name of windowNames) {
      const length = result[name]
      result[name] = await windowValue({ chains: over, metric, newest, length }, union)
    }
    return { body: { result }, headers }
  })
}

const windowNames = [
  'lastHour',
  'lastDay',
  'lastWeek',
  'lastMonth',
  'last90Days',
  'lastYear',
  'allTime',
] as const

type Window = {
  readonly chains: readonly UnionChain[]
  readonly metric: MetricName
  readonly newest: number
  readonly length: number
}

async function windowValue(window: Window, union: AddressUnion): Promise<number> {
  const { chains, metric, newest, length } = window
  const unit = isDayMetric(metric) ? 'day' : 'hour'
  const step = unit === 'day' ? day : hour
  const from = periodStart(unit, Math.max(0, newest - Math.max(0, length - step)))
  const range = { from: Number.isFinite(length) ? from : 0, until: newest + 1 }
  const set = setOf(metric)
  if (set !== undefined) return union.countRange(chains, set, range)
  const points = await seriesPage(
    { chains, metric, unit, after: range.from - 1, limit: Number.MAX_SAFE_INTEGER },
    union,
  )
  const values = points.map(({ value }) => value)
  if (metric.startsWith('max')) return values.reduce((top, value) => Math.max(top, value), 0)
  const sum = values.reduce((total, value) => total + value, 0)
  // Averages of days: the mean over the days that had blocks.
  const counting = values.filter((value) => value > 0).length
  return metric.startsWith('avg') ? (counting === 0 ? 0 : sum / counting) : sum
}

function setOf(metric: MetricName): 'addresses' | 'senders' | 'deployers' | undefined {
  switch (metric) {
    case 'activeAddresses':
      return 'addresses'
    case 'activeSenders':
      return 'senders'
    case 'deployers':
      return 'deployers'
    default:
      return undefined
  }
}
