import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { FanOut, maxBatchRows } from './fan-out.ts'

const id = fc.integer({ min: 1, max: 2 ** 35 })
const row = fc.integer({ min: 0, max: maxBatchRows - 1 })

void test('fan-out: entries come back whole, by address, then by row', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(id, row), { selector: String }), (pairs) => {
      const fanOut = new FanOut(0)
      for (const [owner, of] of pairs.toSorted((a, b) => a[1] - b[1])) fanOut.add(owner, of)
      const { ids, rows } = fanOut.sorted()
      const expected = pairs.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
      assert.deepEqual(
        Array.from(ids, (owner, at) => [owner, rows[at]]),
        expected,
      )
    }),
  )
})
