import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { keyOrder } from './key-order.ts'

void test('key order: that of a stable sort by comparing, whatever the keys', () => {
  const key = fc.tuple(fc.nat(3), fc.maxSafeNat(), fc.integer({ min: -9_000, max: 9_000 }))
  fc.assert(
    fc.property(fc.array(key, { minLength: 2, maxLength: 300 }), (keys) => {
      const lanes = [0, 1, 2].map((lane) => Float64Array.from(keys, (each) => Number(each[lane])))
      const expected = keys
        .map((each, row) => ({ each, row }))
        .toSorted(
          ({ each: one }, { each: other }) =>
            one[0] - other[0] || one[1] - other[1] || one[2] - other[2],
        )
        .map(({ row }) => row)
      const order = keyOrder(lanes, keys.length) ?? keys.map((_, row) => row)
      assert.deepEqual([...order], expected)
    }),
  )
})

void test('key order: nothing to do where rows are in it', () => {
  assert.equal(keyOrder([Float64Array.of(1, 1, 2), Float64Array.of(4, 5, 0)], 3), undefined)
  assert.equal(keyOrder([new Float64Array(0)], 0), undefined)
})
