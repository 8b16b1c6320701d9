/** Altered segments, some hundreds of them: `npm run soak -- --only segments` tries a million. */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'

import { drawsOf } from '../../../soak/report.ts'
import { alterations, subjectsIn, tryAltered } from '../../altered-segment.ts'
import { demoFilling } from '../../read-demo-chain.ts'
import { newFolder } from '../../stores.ts'

const triesOfEach = 30
/** Found by a longer run. */
const found = [270]

void test('segments: altered files give the rows that were written, or a fault', async () => {
  const folder = await newFolder(demoFilling(50, 51_002))
  try {
    const subjects = await subjectsIn(folder, 'evm-51002')
    for (const kind of Object.keys(alterations))
      for (const seed of [...Array.from({ length: triesOfEach }, (_, at) => at + 1), ...found])
        assert.equal(tryAltered(subjects, kind, drawsOf(seed)), undefined, `${kind}, seed ${seed}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
