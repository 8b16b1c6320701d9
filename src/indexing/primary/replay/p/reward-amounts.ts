/**
 * Reward of a stake, and how a delegator's reward is split.
 *
 * Source: avalanchego vms/platformvm/reward/calculator.go, config.go.
 */

import type { RewardRules } from '../../batch/rules.ts'

/** A stake; `durationSeconds` is how long it lies. */
export type Stake = { readonly durationSeconds: bigint; readonly weight: bigint }

const shareDenominator = 1_000_000n
const nanosPerSecond = 1_000_000_000n
const maxU64 = 0xffff_ffff_ffff_ffffn

/** Reward of a stake that is there to the end, when `supply` exists at its start. */
export function potentialReward(rules: RewardRules, stake: Stake, supply: bigint): bigint {
  const remaining = rules.supplyCap - supply
  const duration = stake.durationSeconds * nanosPerSecond
  const period = rules.mintingPeriod * nanosPerSecond
  const rate =
    (rules.maxConsumptionRate - rules.minConsumptionRate) * duration +
    rules.minConsumptionRate * period
  // Upstream divides in this order; any other rounds differently.
  const reward =
    (remaining * rate * stake.weight * duration) / (period * shareDenominator) / supply / period
  return reward < remaining ? reward : remaining
}

// ACP-285: from Helicon the minimum rate moves to 7.5 % within 90 days.
const heliconMinRate = 75_000n
const heliconPeriod = 7_776_000n

/** Rules of the primary network for a stake that starts at `start` (Unix seconds). */
export function rulesAtStart(rules: RewardRules, heliconTime: number, start: number): RewardRules {
  const min = rules.minConsumptionRate
  if (start < heliconTime || min === heliconMinRate) return rules
  if (rules.maxConsumptionRate < heliconMinRate) return rules
  const whole = min < heliconMinRate ? heliconMinRate - min : min - heliconMinRate
  const elapsed = BigInt(start - heliconTime)
  const change = elapsed < heliconPeriod ? (whole * elapsed) / heliconPeriod : whole
  return { ...rules, minConsumptionRate: min < heliconMinRate ? min + change : min - change }
}

/** The part of `amount` that `shares` millionths claim, rounded up in their favour. */
export function shareOf(amount: bigint, shares: number): bigint {
  const remainderShares = shareDenominator - BigInt(shares)
  const product = remainderShares * amount
  const remainder =
    product > maxU64 ? remainderShares * (amount / shareDenominator) : product / shareDenominator
  return amount - remainder
}
