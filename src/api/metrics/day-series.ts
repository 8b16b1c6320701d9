/**
 * Metrics of days, from what the stores sum up.
 *
 * Over several chains: counts, gas and fees are added; average speeds are added, being what the
 * chains did side by side; the largest of maxima is taken; the average gas price is that of all
 * transactions; addresses and deployers are real unions.
 */

import { toBigint } from '../../core/bytes.ts'
import type { AddressUnion, UnionChain } from '../../rollup/address-union.ts'
import type { DayMetricName } from '../../shape/metrics/metric-names.ts'
import {
  dayFastest,
  dayPrices,
  daySpans,
  daySums,
  dayWei,
  firstBlockMs,
  type ByDay,
} from '../../store/query/metrics/days.ts'
import { deployDays, type DeployDay } from '../../store/query/metrics/deploy-days.ts'

/**
 * Values by first second of the day.
 *
 * `each`: a day without blocks is 0. `through`: sums up to the end of each day, which later days
 * repeat. `before`: the same sums, read up to the start of the day requested.
 */
export type DaySeries = {
  readonly values: ReadonlyMap<number, number>
  readonly reach: 'each' | 'through' | 'before'
}

/** Values of one chain. */
type Read = (chain: UnionChain) => Promise<ByDay<number>>

/** The whole series of `metric` over `chains`. */
export async function daySeries(
  chains: readonly UnionChain[],
  metric: DayMetricName,
  union: AddressUnion,
): Promise<DaySeries> {
  switch (metric) {
    case 'contracts':
      return { values: await summedDeploys(chains, (day) => day.contracts), reach: 'each' }
    case 'deployers':
      return { values: await deployersByDay(chains, union), reach: 'each' }
    case 'cumulativeContracts': {
      const perDay = await summedDeploys(chains, (day) => day.contracts)
      return { values: cumulative(perDay), reach: 'before' }
    }
    case 'cumulativeDeployers': {
      const perDay = await (chains.length === 1
        ? summedDeploys(chains, (day) => day.newDeployers)
        : union.firstDays(chains, 'deployers'))
      return { values: cumulative(perDay), reach: 'through' }
    }
    case 'cumulativeTxCount':
      return {
        values: cumulative(await joined(chains, countsOf('txCount'), plus)),
        reach: 'through',
      }
    case 'cumulativeAddresses': {
      const perDay =
        chains.length === 1
          ? await joined(chains, countsOf('newAddresses'), plus)
          : await union.firstDays(chains, 'addresses')
      return { values: cumulative(perDay), reach: 'through' }
    }
    case 'avgGasPrice':
      return { values: await averagePrices(chains), reach: 'each' }
    case 'feesPaid':
      return { values: await summedFees(chains), reach: 'each' }
    case 'maxGasPrice':
      return { values: await joined(chains, highestPrices, Math.max), reach: 'each' }
    case 'maxTps':
      return { values: await joined(chains, topRates('topTx'), Math.max), reach: 'each' }
    case 'maxGps':
      return { values: await joined(chains, topRates('topGas'), Math.max), reach: 'each' }
    case 'avgTps':
      return { values: await joined(chains, averageRates('txCount'), plus), reach: 'each' }
    case 'avgGps':
      return { values: await joined(chains, averageRates('gasUsed'), plus), reach: 'each' }
  }
}

function countsOf(column: 'txCount' | 'newAddresses'): Read {
  return ({ store }) => daySums(store, column)
}

/** The highest gas price of each day, in gwei. */
async function highestPrices({ store }: UnionChain): Promise<ByDay<number>> {
  return mapped(await dayWei(store, 'priceMax'), (wei) => decimal(toBigint(wei), 1n, 9))
}

/** Points of the busiest second of each day, taken from its fastest block. */
function topRates(column: 'topTx' | 'topGas'): Read {
  return async ({ store }) =>
    mapped(await dayFastest(store, column), ({ amount, milliseconds }) =>
      rate(amount, milliseconds / 1_000),
    )
}

/**
 * Values of each day divided by its seconds. A day lasts from the last block of the day before to
 * its own last block; the first day begins with the first block.
 */
function averageRates(column: 'txCount' | 'gasUsed'): Read {
  return async ({ store }) => {
    let previousMs = (await firstBlockMs(store)) ?? 0
    return mapped(await daySpans(store, column), ({ amount, lastMs }) => {
      const seconds = (lastMs - previousMs) / 1_000
      previousMs = lastMs
      return rate(amount, seconds)
    })
  }
}

function rate(amount: number, seconds: number): number {
  return seconds > 0 ? amount / seconds : 0
}

function mapped<T>(days: ByDay<T>, change: (value: T) => number): ByDay<number> {
  const values = new Map<number, number>()
  for (const [start, value] of days) values.set(start, change(value))
  return values
}

function plus(a: number, b: number): number {
  return a + b
}

/** Days of all chains, days of several chains joined by `join`, which leaves a lone 0 as it is. */
async function joined(
  chains: readonly UnionChain[],
  read: Read,
  join: (a: number, b: number) => number,
): Promise<ByDay<number>> {
  const values = new Map<number, number>()
  for (const chain of chains) {
    for (const [start, value] of await read(chain))
      values.set(start, join(values.get(start) ?? 0, value))
  }
  return values
}

async function averagePrices(chains: readonly UnionChain[]): Promise<ByDay<number>> {
  const sums = new Map<number, { price: bigint; count: bigint }>()
  for (const { store } of chains) {
    for (const [start, { sum, count }] of await dayPrices(store)) {
      const before = sums.get(start) ?? { price: 0n, count: 0n }
      sums.set(start, { price: before.price + toBigint(sum), count: before.count + BigInt(count) })
    }
  }
  return mapped(sums, ({ price, count }) => (count === 0n ? 0 : decimal(price, count, 9)))
}

async function summedFees(chains: readonly UnionChain[]): Promise<ByDay<number>> {
  const sums = new Map<number, bigint>()
  for (const { store } of chains) {
    for (const [start, fees] of await dayWei(store, 'fees'))
      sums.set(start, (sums.get(start) ?? 0n) + toBigint(fees))
  }
  return mapped(sums, (fees) => decimal(fees, 1n, 18))
}

async function summedDeploys(
  chains: readonly UnionChain[],
  pick: (day: DeployDay) => number,
): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  for (const chain of chains) {
    for (const day of await deployDays(chain.store, chain.deploySource)) {
      sums.set(day.start, (sums.get(day.start) ?? 0) + pick(day))
    }
  }
  return sums
}

async function deployersByDay(
  chains: readonly UnionChain[],
  union: AddressUnion,
): Promise<Map<number, number>> {
  const sums = await summedDeploys(chains, (day) => day.deployers)
  if (chains.length === 1) return sums
  for (const start of sums.keys())
    sums.set(start, await union.count(chains, 'deployers', 'day', start))
  return sums
}

/** Running sums by day, each through the end of its day. */
function cumulative(perDay: ReadonlyMap<number, number>): Map<number, number> {
  const values = new Map<number, number>()
  let sum = 0
  for (const start of [...perDay.keys()].sort((a, b) => a - b)) {
    sum += perDay.get(start) ?? 0
    values.set(start, sum)
  }
  return values
}

// With 192 bits after the point a quotient that is not 0 has more than 55 bits for every divisor
// below 2^136, so the bit that marks a remainder lies below all that a double keeps.
const fractionBits = 192n
const unit = 2 ** 192

/** The nearest number to `amount ÷ divisor ÷ 10^decimals`. Neither is negative; `divisor` is not 0. */
export function decimal(amount: bigint, divisor: bigint, decimals: number): number {
  const whole = divisor * 10n ** BigInt(decimals)
  const scaled = amount << fractionBits
  const quotient = scaled / whole
  const rounded = quotient * whole === scaled ? quotient : quotient | 1n
  return Number(rounded) / unit
}
