import assert from 'node:assert/strict'
import { test } from 'node:test'

import { freshHeads } from './status-view.ts'

void test('heads: one that no source gave for half a minute is unknown until one gives it again', () => {
  let nowMs = 1_000_000
  let stage: { headHeight: number; headAt?: number } | undefined
  const heads = freshHeads({ stage: () => stage }, { now: () => nowMs })
  const head = (): number | undefined => heads('fuji-c-chain', 'blocks')
  assert.equal(head(), undefined, 'no stage')
  stage = { headHeight: 7 }
  assert.equal(head(), undefined, 'given by no source')
  stage = { headHeight: -1, headAt: 1_000 }
  assert.equal(head(), undefined, 'no block')
  stage = { headHeight: 7, headAt: 1_000 }
  assert.equal(head(), 7)
  nowMs += 30_000
  assert.equal(head(), 7)
  nowMs += 1
  assert.equal(head(), undefined, 'too old')
  stage = { headHeight: 7, headAt: 1_030 }
  assert.equal(head(), 7, 'given again')
  assert.equal(freshHeads(undefined, { now: () => nowMs })('fuji-c-chain', 'blocks'), undefined)
})
