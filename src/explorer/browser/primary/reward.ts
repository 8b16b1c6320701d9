/**
 * Reward of a stake in nAVAX.
 *
 * Source: avalanchego vms/platformvm/reward/calculator.go, config.go, and ACP-285 for Helicon.
 */

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

/** Reward of the whole stake when its validator stays up. */
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
