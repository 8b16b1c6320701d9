import assert from 'node:assert/strict'
import { test } from 'node:test'

import { idleStatus } from '../stream/stage.ts'
import { currentKeeper } from './run-decoder.ts'

void test('current moment: kept when all that the node has is stored, and not with every look', () => {
  const kept: number[] = []
  const keeping = async (at: number): Promise<void> => void kept.push(at)
  const keep = currentKeeper({}, keeping)
  const blocks = { ...idleStatus('blocks'), indexedHeight: 6, headHeight: 6 }
  keep([{ ...blocks, indexedHeight: -1, headHeight: -1 }])
  keep([{ ...blocks, headHeight: 7, headAt: 90 }])
  assert.deepEqual(kept, [], 'no head is known, or it is behind')
  keep([{ ...blocks, headAt: 100 }])
  keep([{ ...blocks, stage: 'traces', headAt: 140 }])
  keep([{ ...blocks, headAt: 105 }])
  keep([{ ...blocks, headAt: 110 }])
  keep([{ ...blocks, headHeight: 7, headAt: 130 }])
  assert.deepEqual(kept, [100, 110])
  currentKeeper({ recording: 'chain.firnrec' }, keeping)([{ ...blocks, headAt: 200 }])
  assert.deepEqual(kept, [100, 110], 'a recording ends where it ends')
})
