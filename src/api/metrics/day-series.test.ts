import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { decimal } from './day-series.ts'

void test('decimal: the nearest number, as the runtime reads the same digits', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 120n), fc.constantFrom(0, 9, 18), (amount, decimals) => {
      assert.equal(decimal(amount, 1n, decimals), Number(`${amount}e-${decimals}`))
    }),
  )
})

void test('decimal: halves of a unit in the last place go to the even neighbour', () => {
  assert.equal(decimal(2n ** 53n + 1n, 1n, 0), 2 ** 53)
  assert.equal(decimal(2n ** 53n + 3n, 1n, 0), 2 ** 53 + 4)
  // A remainder far below the half decides.
  assert.equal(decimal((2n ** 53n + 1n) * 10n ** 18n + 1n, 1n, 18), 2 ** 53 + 2)
  assert.equal(decimal(1n, 3n, 0), 1 / 3)
})
