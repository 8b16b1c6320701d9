import assert from 'node:assert/strict'
import { test } from 'node:test'

import { idleStatus } from '../stream/stage.ts'
import { currentKeeper } from './run-decoder.ts'

void test('current moment: kept when all that the node has is stored, and not with every look', () => {
  const kept: number[] = []
  const keeping = async (at: number): Promise<void> => void kept.push(at)
  const tell = currentKeeper({}, keeping)
  const blocks = { ...idleStatus('blocks'), indexedHeight: 6, headHeight: 6 }
  tell([{ ...blocks, indexedHeight: -1, headHeight: -1 }])
  tell([{ ...blocks, headHeight: 7, headAt: 90 }])
  assert.deepEqual(kept, [], 'nothing is told, or it is behind')
  tell([{ ...blocks, headAt: 100 }])
  tell([{ ...blocks, stage: 'traces', headAt: 140 }])
  tell([{ ...blocks, headAt: 105 }])
  tell([{ ...blocks, headAt: 110 }])
  tell([{ ...blocks, headHeight: 7, headAt: 130 }])
  assert.deepEqual(kept, [100, 110])
  currentKeeper({ recording: 'chain.firnrec' }, keeping)([{ ...blocks, headAt: 200 }])
  assert.deepEqual(kept, [100, 110], 'a recording ends where it ends')
})
