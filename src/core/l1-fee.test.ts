import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { l1Cost, l1ExcessAfter, l1Price } from './l1-fee.ts'

void test('L1 fee: the cost of many seconds is the sum of their prices', () => {
  const amount = (max: number): fc.Arbitrary<bigint> => fc.bigInt(0n, BigInt(max))
  const given = fc.record({
    active: amount(200),
    target: amount(100),
    minPrice: fc.bigInt(1n, 600n),
    excess: amount(4_000),
    excessConversionConstant: fc.bigInt(1n, 2_000n),
    seconds: fc.integer({ min: 0, max: 300 }),
  })
  fc.assert(
    fc.property(given, ({ active, excess, seconds, ...rules }) => {
      let [reached, sum] = [excess, 0n]
      for (let second = 0; second < seconds; second++) {
        reached = l1ExcessAfter(rules, { active, excess: reached }, 1n)
        sum += l1Price(rules, reached)
      }
      const most = 2n ** 64n - 1n
      assert.equal(l1Cost(rules, { active, excess }, BigInt(seconds)), sum > most ? most : sum)
    }),
  )
})
