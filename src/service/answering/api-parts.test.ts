import assert from 'node:assert/strict'
import { test } from 'node:test'

import { freshHeads } from './assemble-api.ts'

void test('heads: one that no source told for half a minute is unknown until one tells again', () => {
  let nowMs = 1_000_000
  let told: { headHeight: number; headAt?: number } | undefined
  const heads = freshHeads({ stage: () => told }, { now: () => nowMs })
  const head = (): number | undefined => heads('fuji-c-chain', 'blocks')
  assert.equal(head(), undefined, 'no stage')
  told = { headHeight: 7 }
  assert.equal(head(), undefined, 'told by nobody')
  told = { headHeight: -1, headAt: 1_000 }
  assert.equal(head(), undefined, 'no block')
  told = { headHeight: 7, headAt: 1_000 }
  assert.equal(head(), 7)
  nowMs += 30_000
  assert.equal(head(), 7)
  nowMs += 1
  assert.equal(head(), undefined, 'too old')
  told = { headHeight: 7, headAt: 1_030 }
  assert.equal(head(), 7, 'told again')
  assert.equal(freshHeads(undefined, { now: () => nowMs })('fuji-c-chain', 'blocks'), undefined)
})
