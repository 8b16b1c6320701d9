import assert from 'node:assert/strict'
import { test } from 'node:test'

import { recently } from './bounded-maps.ts'

void test('readings within the time: are one, also while it is under way', async () => {
  let now = 0
  let count = 0
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const read = recently(async () => ++count, { clock, forMs: 20 })
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1])
  now = 19
  assert.equal(await read(), 1)
  now = 20
  assert.equal(await read(), 2)
})

void test('a reading that fails: is not kept', async () => {
  let count = 0
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }
  const read = recently(
    async () => {
      if (++count === 1) throw new Error('away')
      return count
    },
    { clock, forMs: 20 },
  )
  await assert.rejects(read(), /away/)
  assert.equal(await read(), 2)
})
