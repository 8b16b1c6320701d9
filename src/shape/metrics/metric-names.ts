/** The metrics of document C, and which intervals each takes. */

/** Metrics for any interval. */
export const anyIntervalMetrics = [
  'activeAddresses',
  'activeSenders',
  'gasUsed',
  'txCount',
] as const

/** Metrics for days only. */
const dayMetrics = [
  'cumulativeTxCount',
  'cumulativeAddresses',
  'cumulativeContracts',
  'cumulativeDeployers',
  'contracts',
  'deployers',
  'avgGps',
  'maxGps',
  'avgTps',
  'maxTps',
  'avgGasPrice',
  'maxGasPrice',
  'feesPaid',
] as const

/** All metrics in one list. */
export const metricNames = [...anyIntervalMetrics, ...dayMetrics] as const

/** Name of a metric. */
export type MetricName = (typeof metricNames)[number]

/** Name of a metric for days only. */
export type DayMetricName = (typeof dayMetrics)[number]

/** Metrics that depend on traces. */
export const contractMetrics: readonly MetricName[] = [
  'contracts',
  'deployers',
  'cumulativeContracts',
  'cumulativeDeployers',
]

/** Intervals, short to long. */
export const timeIntervals = ['hour', 'day', 'week', 'month'] as const

/** Returns whether `metric` may be asked for days only. */
export function isDayMetric(metric: MetricName): metric is DayMetricName {
  const names: readonly string[] = dayMetrics
  return names.includes(metric)
}

/** Metrics a rolling window can be asked for: all but the cumulative ones. */
export const rollingMetricNames = metricNames.filter((name) => !name.startsWith('cumulative'))
