import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { radixOrder } from './radix-order.ts'

void test('radix order: ascending, equal keys in their order', () => {
  const key = fc.oneof(fc.maxSafeNat(), fc.nat(3), fc.nat(2 ** 12))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const expected = keys.map((_, at) => at).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
      assert.deepEqual([...radixOrder(Float64Array.from(keys))], expected)
    }),
  )
  assert.deepEqual([...radixOrder(Float64Array.of(5, 1, 2 ** 47, 1, 0))], [4, 1, 3, 0, 2])
  assert.deepEqual([...radixOrder(new Float64Array())], [])
})
