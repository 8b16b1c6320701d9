/**
 * Tables of a chain's time series, written in the transaction that stores the blocks.
 *
 * `start` is the first second of a period. `unit` is a value of `units` in `rollup/period.ts`.
 * Wide sums are big-endian without leading zero bytes.
 */

import { chunksPerSum, secondsPerSum } from './sums.ts'
import { byColumn, sumsBy, table } from './table.ts'

/**
 * Counts of a period of any unit, by the name of the metric: the column of each. Writing and reading follow
 * from it.
 */
export const periodCounts = {
  txCount: 'tx_count',
  gasUsed: 'gas_used',
  activeAddresses: 'active_addresses',
  activeSenders: 'active_senders',
} as const

/**
 * Counts of days alone. The fastest block of the day is kept as amount and milliseconds, so that division
 * happens at the edge.
 */
export const dayCounts = {
  topTx: 'top_tx',
  topTxMs: 'top_tx_ms',
  topGas: 'top_gas',
  topGasMs: 'top_gas_ms',
  newAddresses: 'new_addresses',
} as const

/** Amounts of days, wei. */
export const dayAmounts = { priceSum: 'price_sum', priceMax: 'price_max', fees: 'fees' } as const

/** Name in `meta` of what counting keeps besides its tables. */
export const rollupState = 'rollup'

const integers = (): 'integer' => 'integer'

/** Sums of every unit. */
export const rollup = table(
  'rollup',
  { unit: 'integer', start: 'integer', ...byColumn(periodCounts, integers) },
  { key: ['unit', 'start'], layout: 'keyed', sums: sumsBy('start', secondsPerSum) },
)

/** Sums that only days have. `last_ms` is the time of the day's last block. */
export const rollupDay = table(
  'rollup_day',
  {
    start: 'integer',
    last_ms: 'integer',
    ...byColumn(dayAmounts, () => 'bytes' as const),
    ...byColumn(dayCounts, integers),
  },
  { key: ['start'], layout: 'rows', sums: sumsBy('start', secondsPerSum) },
)

/** Contracts and who deployed them, by what showed them: 0 receipts, 1 traces. */
export const rollupDeploys = table(
  'rollup_deploys',
  {
    source: 'integer',
    start: 'integer',
    contracts: 'integer',
    deployers: 'integer',
    new_deployers: 'integer',
    members: 'bytes',
  },
  { key: ['source', 'start'], layout: 'keyed', sums: sumsBy('start', secondsPerSum) },
)

/** Addresses active in an hour, see `rollup/member-list.ts` for the form of `members`. */
export const activityHour = table(
  'activity_hour',
  { start: 'integer', members: 'bytes' },
  { key: ['start'], layout: 'rows', sums: sumsBy('start', secondsPerSum) },
)

/**
 * Who was ever active (`kind` 0), or ever deployed by receipts (1) or traces (2): one bit per
 * address id, 4,096 ids a chunk.
 */
export const everSeen = table(
  'ever_seen',
  { kind: 'integer', chunk: 'integer', bits: 'bytes' },
  { key: ['kind', 'chunk'], layout: 'keyed', sums: sumsBy('chunk', chunksPerSum) },
)

/**
 * Transactions and gas of a day by sender, and by the address that they called with at least four bytes of data. Both
 * are lists of `rollup/activity-counts.ts`. `height` and `hash` are those of the last block counted: the newest row
 * says how far the counting is.
 */
export const activityDay = table(
  'activity_day',
  { start: 'integer', height: 'integer', hash: 'bytes', senders: 'bytes', callees: 'bytes' },
  { key: ['start'], layout: 'rows', sums: sumsBy('start', secondsPerSum) },
)

/** Those that are counted with the blocks, in order of creation. */
export const metricsTables = [rollup, rollupDay, rollupDeploys, activityHour, everSeen] as const
