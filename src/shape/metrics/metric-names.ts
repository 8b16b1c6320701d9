/** The metrics of document C, and which intervals each takes. */

/** Titles of metrics for any interval. */
const anyInterval = {
  txCount: 'Transactions',
  activeAddresses: 'Active addresses',
  activeSenders: 'Active senders',
  gasUsed: 'Gas used',
} as const

/** Titles of metrics for days only. */
const daysOnly = {
  avgTps: 'TPS, average',
  maxTps: 'TPS, maximum',
  avgGps: 'Gas per second, average',
  maxGps: 'Gas per second, maximum',
  avgGasPrice: 'Gas price, average (gwei)',
  maxGasPrice: 'Gas price, maximum (gwei)',
  feesPaid: 'Fees paid (native token)',
  contracts: 'Contracts created',
  deployers: 'Deployers',
  cumulativeTxCount: 'Transactions, total',
  cumulativeAddresses: 'Addresses, total',
  cumulativeContracts: 'Contracts, total',
  cumulativeDeployers: 'Deployers, total',
} as const

/** Title of every metric, in the order in which they are shown. */
export const metricTitles = { ...anyInterval, ...daysOnly } as const

/** Name of a metric. */
export type MetricName = keyof typeof metricTitles

/** Name of a metric for days only. */
export type DayMetricName = keyof typeof daysOnly

/** All metrics in one list. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of the table
export const metricNames = Object.keys(metricTitles) as readonly MetricName[]

/** Metrics that depend on traces. */
export const contractMetrics: readonly MetricName[] = [
  'contracts',
  'deployers',
  'cumulativeContracts',
  'cumulativeDeployers',
]

/** Intervals, short to long. */
export const timeIntervals = ['hour', 'day', 'week', 'month'] as const

/** Returns whether `metric` may be queried for days only. */
export function isDayMetric(metric: string): metric is DayMetricName {
  return Object.hasOwn(daysOnly, metric)
}

/** Metrics a rolling window can be queried for: all but the cumulative ones. */
export const rollingMetricNames = metricNames.filter((name) => !name.startsWith('cumulative'))
