import assert from 'node:assert/strict'
import { test } from 'node:test'

import { inOrder, sortedOrder } from './sorted-order.ts'

void test('sorted order: ascending, equals in their order, whatever fits into one number', () => {
  const small = Array.from({ length: 1_000 }, (_, at) => Math.imul(at, 2_654_435_761) & 63)
  // Too large to be joined with a place.
  const large = small.map((key) => key * 2 ** 46)
  for (const keys of [small, large, [], [5]]) {
    const expected = keys
      .map((key, at) => ({ key, at }))
      .toSorted((a, b) => a.key - b.key || a.at - b.at)
      .map(({ at }) => at)
    assert.deepEqual([...sortedOrder(keys)], expected)
  }
})

void test('sorted order: values follow it', () => {
  assert.deepEqual([...inOrder([7, 8, 9], sortedOrder([3, 1, 2]))], [8, 9, 7])
})
