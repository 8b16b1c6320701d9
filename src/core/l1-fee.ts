/**
 * The continuous fee of L1 validators (ACP-77).
 *
 * Source: avalanchego vms/platformvm/validators/fee/fee.go, vms/components/gas/gas.go.
 */

/** `target` active validators cost `minPrice` nAVAX a second each; beyond, the price grows. */
export type L1FeeRules = {
  readonly target: bigint
  readonly minPrice: bigint
  readonly excessConversionConstant: bigint
}

const publicRules = { target: 10_000n, minPrice: 512n } as const

const byNetworkId: Readonly<Record<number, L1FeeRules>> = {
  1: { ...publicRules, excessConversionConstant: 1_246_488_515n },
  5: { ...publicRules, excessConversionConstant: 51_937_021n },
}

const local: L1FeeRules = { target: 10_000n, minPrice: 1n, excessConversionConstant: 865_617n }

/**
 * Rules of a network; any but 1 and 5 has the local ones. Source: avalanchego genesis/params.go.
 */
export function l1FeeRulesOf(networkId: number): L1FeeRules {
  return byNetworkId[networkId] ?? local
}

const maxU64 = 0xffff_ffff_ffff_ffffn

/** Price of one second in nAVAX: minPrice · e^(excess / constant), as upstream's integer series. */
export function l1Price(rules: L1FeeRules, excess: bigint): bigint {
  const constant = rules.excessConversionConstant
  const most = constant * maxU64
  let term = rules.minPrice * constant
  let sum = 0n
  for (let at = 1n; term > 0n; at++) {
    sum += term
    if (sum >= most) return maxU64
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

/**
 * Fee of each active validator for `seconds`, in nAVAX: a sum over seconds, each at the price after
 * it. The price rises and falls with the excess and is the same for many seconds, so that the cost
 * of this grows with the number of different prices.
 */
export function l1Cost(
  rules: L1FeeRules,
  state: { readonly active: bigint; readonly excess: bigint },
  seconds: bigint,
): bigint {
  let cost = 0n
  let at = 0n
  while (at < seconds) {
    const price = priceAt(rules, state, at)
    const until =
      at + secondsAtPrice((more) => priceAt(rules, state, at + more) === price, seconds - at)
    cost = capped(cost + price * (until - at))
    at = until
  }
  return cost
}

/** Price of the second that begins `after` seconds after `state`. */
function priceAt(
  rules: L1FeeRules,
  state: { readonly active: bigint; readonly excess: bigint },
  after: bigint,
): bigint {
  return l1Price(rules, l1ExcessAfter(rules, state, after + 1n))
}

/**
 * Returns how many of the first `most` seconds, at least one, satisfy `isSame`; later ones do not.
 */
function secondsAtPrice(isSame: (second: bigint) => boolean, most: bigint): bigint {
  let same = 0n
  let step = 1n
  while (same + step < most && isSame(same + step)) {
    same += step
    step *= 2n
  }
  for (; step > 0n; step /= 2n) if (same + step < most && isSame(same + step)) same += step
  return same + 1n
}

function capped(cost: bigint): bigint {
  return cost > maxU64 ? maxU64 : cost
}

const hourSeconds = 3_600n
// A balance that lasts longer than this is enough to know.
const mostHours = 24 * 365 * 10

/**
 * Seconds that `funds` (nAVAX) last while as many validators stay active. Exact while the price is
 * the least there is, else to the hour; at most ten years.
 */
export function l1SecondsLeft(
  rules: L1FeeRules,
  { active, excess }: { readonly active: bigint; readonly excess: bigint },
  funds: bigint,
): bigint {
  let left = funds
  let reached = excess
  for (let hour = 0; hour < mostHours; hour++) {
    if (reached === 0n && active <= rules.target)
      return BigInt(hour) * hourSeconds + left / rules.minPrice
    const price = l1Price(rules, reached)
    if (left < price * hourSeconds) return BigInt(hour) * hourSeconds + left / price
    left -= price * hourSeconds
    reached = l1ExcessAfter(rules, { active, excess: reached }, hourSeconds)
  }
  return BigInt(mostHours) * hourSeconds
}
