/**
 * Sums of wei without a BigInt per addition.
 *
 * Most amounts fit a double exactly: they gather in `low`, which moves into `high` when full.
 */

/** A running sum of non-negative integers. */
export type WideSum = { low: number; high: bigint }

const limit = Number.MAX_SAFE_INTEGER

/** A sum that starts at `value`. */
export function wideSum(value = 0n): WideSum {
  return { low: 0, high: value }
}

/** Adds `amount`, an integer from 0 to 2^53. */
export function addNumber(sum: WideSum, amount: number): void {
  if (sum.low > limit - amount) {
    sum.high += BigInt(sum.low)
    sum.low = 0
  }
  sum.low += amount
}

/** Adds `a × b`, both integers from 0 to 2^53. */
export function addProduct(sum: WideSum, a: number, b: number): void {
  const product = a * b
  if (product <= limit) addNumber(sum, product)
  else sum.high += BigInt(a) * BigInt(b)
}

/** The sum so far. */
export function totalOf(sum: WideSum): bigint {
  return sum.high + BigInt(sum.low)
}
