/** Sums of stake: what it earns, when it ends, how few hold a share of it, how long balances last. */

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import type { Delegator, Validator } from '../../../shape/primary/validator.ts'
import { assetName } from '../kit/format.ts'

/** nAVAX of one AVAX. */
export const navax = 1_000_000_000
const week = 604_800

// Source: avalanchego vms/platformvm/reward/calculator.go, config.go, and ACP-285 for Helicon.
const supplyCap = 720_000_000_000_000_000n
const maxRate = 120_000n
const parts = 1_000_000n
const yearSeconds = 31_536_000n
const nanos = 1_000_000_000n

/** Yearly rate of the shortest stakes in millionths: before Helicon, and 90 days after it. */
export const minRates = { before: 100_000n, after: 75_000n } as const

/** A stake; `supply` is what exists when it begins. */
export type StakePlan = {
  readonly amount: bigint
  readonly seconds: bigint
  readonly supply: bigint
  readonly minRate: bigint
}

/** Reward of the whole stake in nAVAX when its validator stays up. */
export function rewardOf({ amount, seconds, supply, minRate }: StakePlan): bigint {
  if (supply <= 0n || supply >= supplyCap) return 0n
  const remaining = supplyCap - supply
  const duration = seconds * nanos
  const period = yearSeconds * nanos
  const rate = (maxRate - minRate) * duration + minRate * period
  // Upstream divides in this order; any other rounds differently.
  const reward = (remaining * rate * amount * duration) / (period * parts) / supply / period
  return reward < remaining ? reward : remaining
}

/** A delegator's part of a reward after its validator's fee, in millionths. */
export function afterFee(reward: bigint, fee: bigint): bigint {
  const kept = (parts - fee) * reward
  return kept > 0xffff_ffff_ffff_ffffn ? (parts - fee) * (reward / parts) : kept / parts
}

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

/**
 * The fewest of `weights` that together hold `percent` of `total`; undefined where all of them do
 * not. Validators without a balance count in the total and cannot sign.
 *
 * Source: ACP-77; avalanchego takes inactive validators into the total weight.
 */
export function fewestHolding(
  weights: readonly number[],
  total: number,
  percent: number,
): number | undefined {
  let held = 0
  for (const [at, weight] of weights.toSorted((a, b) => b - a).entries()) {
    held += weight
    if (held * 100 >= total * percent) return at + 1
  }
  return undefined
}

/** Days a balance lasts at a fee a day, both in nAVAX; undefined where nothing is charged. */
export function daysLeft(balance: string | number, feePerDay: string): number | undefined {
  const fee = Number(feePerDay)
  return fee === 0 ? undefined : Number(balance) / fee
}

/** AVAX delegated right before and after each start and end until a moment, oldest first. */
export function delegatedOver(
  all: readonly Pick<Delegator, 'amountDelegated' | 'startTimestamp' | 'endTimestamp' | 'asset'>[],
  until: number,
): { readonly timestamp: number; readonly value: number }[] {
  const steps = new Map<number, bigint>()
  const add = (moment: number, amount: bigint): void => {
    if (moment <= until) steps.set(moment, (steps.get(moment) ?? 0n) + amount)
  }
  for (const { amountDelegated, startTimestamp, endTimestamp, asset } of all) {
    // Those of elastic subnets are of another asset.
    if (asset === undefined || assetName(asset) !== 'AVAX') continue
    add(startTimestamp, BigInt(amountDelegated))
    add(endTimestamp, -BigInt(amountDelegated))
  }
  let sum = 0n
  const points = [...steps]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([timestamp, amount]) => {
      const before = { timestamp: timestamp - 1, value: Number(sum) / 1e9 }
      sum += amount
      return [before, { timestamp, value: Number(sum) / 1e9 }]
    })
  const last = points.at(-1)
  return last === undefined || last.timestamp >= until
    ? points
    : [...points, { timestamp: until, value: last.value }]
}
