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
import { days, firstBlockMs, type Day } from '../../store/query/metrics/days.ts'
import { deployDays, type DeployDay } from '../../store/query/metrics/deploy-days.ts'
import { decimal } from './decimal.ts'

/**
 * Values by first second of the day.
 *
 * `each`: a day without blocks is 0. `through`: sums up to the end of each day, which later days
 * repeat. `before`: the same sums, read up to the start of the day asked for.
 */
export type DaySeries = {
  readonly values: ReadonlyMap<number, number>
  readonly reach: 'each' | 'through' | 'before'
}

type ChainDay = Day & { readonly seconds: number }

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
      const perDay = await firstDeployers(chains, union)
      return { values: cumulative(perDay), reach: 'through' }
    }
    case 'cumulativeTxCount':
      return {
        values: cumulative(await summedDays(chains, (day) => day.txCount)),
        reach: 'through',
      }
    case 'cumulativeAddresses': {
      const perDay =
        chains.length === 1
          ? await summedDays(chains, (day) => day.newAddresses)
          : await union.firstDays(chains, 'addresses')
      return { values: cumulative(perDay), reach: 'through' }
    }
    case 'avgGasPrice':
      return { values: await averagePrices(chains), reach: 'each' }
    case 'feesPaid':
      return { values: await summedFees(chains), reach: 'each' }
    case 'maxGasPrice':
      return {
        values: await largest(chains, (day) => decimal(toBigint(day.priceMax), 1n, 9)),
        reach: 'each',
      }
    case 'maxTps':
      return {
        values: await largest(chains, (day) => rate(day.topTx, day.topTxMs / 1_000)),
        reach: 'each',
      }
    case 'maxGps':
      return {
        values: await largest(chains, (day) => rate(day.topGas, day.topGasMs / 1_000)),
        reach: 'each',
      }
    case 'avgTps':
      return {
        values: await summedDays(chains, (day) => rate(day.txCount, day.seconds)),
        reach: 'each',
      }
    case 'avgGps':
      return {
        values: await summedDays(chains, (day) => rate(day.gasUsed, day.seconds)),
        reach: 'each',
      }
  }
}

/** Seconds from the last block of the day before to the last of this; the first day from the first block. */
async function chainDays(chain: UnionChain): Promise<ChainDay[]> {
  const list = await days(chain.store)
  let previousMs = (await firstBlockMs(chain.store)) ?? 0
  return list.map((day) => {
    const seconds = (day.lastMs - previousMs) / 1_000
    previousMs = day.lastMs
    return { ...day, seconds }
  })
}

function rate(amount: number, seconds: number): number {
  return seconds > 0 ? amount / seconds : 0
}

async function summedDays(
  chains: readonly UnionChain[],
  pick: (day: ChainDay) => number,
): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  for (const chain of chains) {
    for (const day of await chainDays(chain))
      sums.set(day.start, (sums.get(day.start) ?? 0) + pick(day))
  }
  return sums
}

async function largest(
  chains: readonly UnionChain[],
  pick: (day: ChainDay) => number,
): Promise<Map<number, number>> {
  const top = new Map<number, number>()
  for (const chain of chains) {
    for (const day of await chainDays(chain)) {
      top.set(day.start, Math.max(top.get(day.start) ?? 0, pick(day)))
    }
  }
  return top
}

async function averagePrices(chains: readonly UnionChain[]): Promise<Map<number, number>> {
  const sums = new Map<number, { price: bigint; count: bigint }>()
  for (const chain of chains) {
    for (const day of await days(chain.store)) {
      const before = sums.get(day.start) ?? { price: 0n, count: 0n }
      sums.set(day.start, {
        price: before.price + toBigint(day.priceSum),
        count: before.count + BigInt(day.txCount),
      })
    }
  }
  const values = new Map<number, number>()
  for (const [start, { price, count }] of sums) {
    values.set(start, count === 0n ? 0 : decimal(price, count, 9))
  }
  return values
}

async function summedFees(chains: readonly UnionChain[]): Promise<Map<number, number>> {
  const sums = new Map<number, bigint>()
  for (const chain of chains) {
    for (const day of await days(chain.store))
      sums.set(day.start, (sums.get(day.start) ?? 0n) + toBigint(day.fees))
  }
  return new Map([...sums].map(([start, fees]) => [start, decimal(fees, 1n, 18)]))
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

function firstDeployers(
  chains: readonly UnionChain[],
  union: AddressUnion,
): Promise<ReadonlyMap<number, number>> {
  return chains.length === 1
    ? summedDeploys(chains, (day) => day.newDeployers)
    : union.firstDays(chains, 'deployers')
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
