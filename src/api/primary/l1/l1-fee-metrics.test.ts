import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import type { L1Step } from '../../../store/query/primary/l1-validators.ts'
import { dayOf, feeDays } from './l1-fee-metrics.ts'

const day = 86_400
const price = 512n
const until = 4 * day + 100

/** Fees accrued at a second, at a constant price. */
const accruedAt = (time: number): bigint => BigInt(time) * price

type Validation = { readonly start: number; readonly balance: bigint }

/** The steps of validations that were filled once and left to run out. */
function stepsOf(validations: readonly Validation[]): L1Step[] {
  return validations.flatMap(({ start, balance }, validation) => {
    const first = {
      validation,
      time: start,
      weight: 1n,
      remainingBalance: balance,
      balanceChange: balance,
      active: true,
      accrued: accruedAt(start),
    }
    const end = start + Number((balance + price - 1n) / price)
    const over = { time: end, remainingBalance: 0n, balanceChange: 0n, active: false }
    return end > until ? [first] : [first, { ...first, ...over, accrued: accruedAt(end) }]
  })
}

/** The same, second by second. */
function counted(
  validations: readonly Validation[],
): Map<number, { fees: bigint; paying: number }> {
  const days = new Map<number, { fees: bigint; paying: number }>()
  for (const { start, balance } of validations) {
    const paid = new Map<number, bigint>()
    let left = balance
    for (let time = start; time < until && left > 0n; time++) {
      const fee = left < price ? left : price
      left -= fee
      paid.set(dayOf(time), (paid.get(dayOf(time)) ?? 0n) + fee)
    }
    for (const [of, fees] of paid) {
      const entry = days.get(of) ?? { fees: 0n, paying: 0 }
      days.set(of, { fees: entry.fees + fees, paying: entry.paying + 1 })
    }
  }
  return days
}

void test('L1 fee days: sums and payers are those counted second by second', () => {
  const validation = fc.record({
    start: fc.integer({ min: 1, max: until - 1 }),
    balance: fc.bigInt(1n, 5n * BigInt(day) * price),
  })
  fc.assert(
    fc.property(fc.array(validation, { minLength: 1, maxLength: 4 }), (validations) => {
      const now = { time: until, accrued: accruedAt(until) }
      const days = feeDays(stepsOf(validations), now, (at) => accruedAt(Math.min(at, until)))
      for (const [of, entry] of counted(validations))
        assert.deepEqual(days.get(of), entry, String(of))
    }),
    { numRuns: 40 },
  )
})

void test('L1 fee days: nothing happened, nothing is shown', () => {
  assert.equal(feeDays([], { time: until, accrued: 0n }, accruedAt).size, 0)
})
