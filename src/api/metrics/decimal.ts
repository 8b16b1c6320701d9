/** Exact fractions as the nearest JSON number. */

// 25 digits after the point: more than a double holds, so that rounding happens once, at the end.
const digits = 25
const scale = 10n ** BigInt(digits)

/** `amount ÷ divisor ÷ 10^decimals`, rounded once. */
export function decimal(amount: bigint, divisor: bigint, decimals: number): number {
  const scaled = (amount * scale) / divisor
  const text = scaled.toString().padStart(digits + decimals + 1, '0')
  const split = text.length - digits - decimals
  return Number(`${text.slice(0, split)}.${text.slice(split)}`)
}
