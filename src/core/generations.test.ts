import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGenerations } from './bounded-maps.ts'

void test('generations: the newest are found, the oldest are forgotten', () => {
  const kept = createGenerations<number, string>(3)
  for (let key = 0; key < 9; key++) kept.set(key, `value ${key}`)
  for (const key of [3, 4, 5, 6, 7, 8]) assert.equal(kept.get(key), `value ${key}`, String(key))
  for (const key of [0, 1, 2]) assert.equal(kept.get(key), undefined, String(key))
})

void test('generations: a value set again is the newer one', () => {
  const kept = createGenerations<string, number>(2)
  kept.set('a', 1)
  kept.set('b', 1)
  kept.set('a', 2)
  kept.set('c', 3)
  assert.equal(kept.get('a'), 2)
})
