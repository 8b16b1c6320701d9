/**
 * The continuous fee of L1 validators (ACP-77).
 *
 * Source: avalanchego vms/platformvm/validators/fee/fee.go, vms/components/gas/gas.go.
 */

import type { L1FeeRules } from '../../batch/rules.ts'

const maxU64 = 0xffff_ffff_ffff_ffffn

/** Price of one second in nAVAX: minPrice · e^(excess / constant), as upstream's integer series. */
export function l1Price(rules: L1FeeRules, excess: bigint): bigint {
  const constant = rules.excessConversionConstant
  let term = rules.minPrice * constant
  let sum = 0n
  for (let at = 1n; term > 0n; at++) {
    sum += term
    if (sum >= constant * maxU64) return maxU64
    term = (term * excess) / constant / at
  }
  return sum / constant
}

/** Excess after `seconds` with `active` validators. Never below 0 nor above 2^64 - 1. */
export function l1ExcessAfter(
  rules: L1FeeRules,
  { active, excess }: { readonly active: bigint; readonly excess: bigint },
  seconds: bigint,
): bigint {
  const next = excess + (active - rules.target) * seconds
  return next < 0n ? 0n : next > maxU64 ? maxU64 : next
}

/** What each active validator pays for `seconds`, in nAVAX. O(1) while the excess is 0. */
export function l1Cost(
  rules: L1FeeRules,
  state: { readonly active: bigint; readonly excess: bigint },
  seconds: bigint,
): bigint {
  if (state.active === rules.target) return capped(seconds * l1Price(rules, state.excess))
  let { excess } = state
  let cost = 0n
  for (let at = 0n; at < seconds; at++) {
    excess = l1ExcessAfter(rules, { active: state.active, excess }, 1n)
    if (excess === 0n) return capped(cost + rules.minPrice * (seconds - at))
    cost = capped(cost + l1Price(rules, excess))
  }
  return cost
}

function capped(cost: bigint): bigint {
  return cost > maxU64 ? maxU64 : cost
}
