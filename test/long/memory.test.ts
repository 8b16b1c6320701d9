/** Memory under a steady load, as `npm run soak -- --only memory` measures it, with few lists a round. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { memory } from '../../soak/memory.ts'
import { nothing } from '../../soak/report.ts'

/** 200 lists in each of the ten rounds. */
const share = 0.01

void test('memory: what is live after the second and the tenth of equal rounds differs by 2 % at most', async () => {
  let tries = 0
  for await (const [outcome] of memory({ share, soFar: nothing })) {
    assert.ok(outcome !== undefined)
    assert.equal(outcome.bad, 0, outcome.note ?? outcome.kind)
    tries += outcome.tries
  }
  assert.equal(tries, 2_000)
})
