import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { openBits } from './address-flags.ts'
import { hourMembers } from './chain-rollup.ts'

void test('hour members: ascending and each with its bit, whether few or many of all ids', () => {
  const seen = fc.uniqueArray(fc.nat({ max: 499 }), { maxLength: 500 })
  // Capacities around 16 ids a member: both ways of finding the order are taken.
  fc.assert(
    fc.property(seen, fc.integer({ min: 500, max: 9_000 }), (ids, capacity) => {
      const open = new Uint8Array(capacity)
      // Flags of longer periods are nobody's business here.
      for (let id = 0; id < capacity; id++) open[id] = openBits.day | openBits.monthSender
      for (const id of ids) open[id] = openBits.hour | (id % 3 === 0 ? openBits.hourSender : 0)
      const wanted = ids.toSorted((a, b) => a - b).map((id) => (id % 3 === 0 ? id * 2 + 1 : id * 2))
      assert.deepEqual([...hourMembers(open, ids)], wanted)
    }),
    { seed: 1 },
  )
})
