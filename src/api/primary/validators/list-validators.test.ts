import assert from 'node:assert/strict'
import { test } from 'node:test'

import { scaledBounds } from './list-validators.ts'

void test('bounds: a percentage of up to four decimals is the very number stored', () => {
  for (let millionths = 20_000; millionths <= 1_000_000; millionths += 7) {
    const text = `${Math.floor(millionths / 10_000)}.${String(millionths % 10_000).padStart(4, '0')}`
    const given = Number(text)
    const bounds = scaledBounds({ min: given, max: given }, 10_000)
    const stored = BigInt(millionths)
    if (bounds.min !== stored || bounds.max !== stored)
      assert.deepEqual(bounds, { min: stored, max: stored }, text)
  }
})

void test('bounds: between two stored numbers, each end takes the one inside', () => {
  const given = { min: 2.00005, max: 98.99995 }
  assert.deepEqual(scaledBounds(given, 10_000), { min: 20_001n, max: 989_999n })
})

void test('bounds: times left count from a moment; an end that is not given is open', () => {
  assert.deepEqual(scaledBounds({ min: 60, max: undefined }, 1, 1_700_000_000n), {
    min: 1_700_000_060n,
    max: undefined,
  })
})
