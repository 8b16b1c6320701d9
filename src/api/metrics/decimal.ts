/** Exact fractions as the nearest JSON number. */

// With 192 bits after the point a quotient that is not 0 has more than 55 bits for every divisor
// below 2^136, so the bit that marks a remainder lies below all that a double keeps.
const fractionBits = 192n
const unit = 2 ** 192

/** `amount ÷ divisor ÷ 10^decimals`, rounded once. Neither is negative; `divisor` is not 0. */
export function decimal(amount: bigint, divisor: bigint, decimals: number): number {
  const whole = divisor * 10n ** BigInt(decimals)
  const scaled = amount << fractionBits
  const quotient = scaled / whole
  const rounded = quotient * whole === scaled ? quotient : quotient | 1n
  return Number(rounded) / unit
}
