import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGenerations } from './generations.ts'

void test('generations: the newest are found, the least used are forgotten', () => {
  const kept = createGenerations<number, string>(3)
  for (let key = 0; key < 9; key++) kept.set(key, `value ${key}`)
  for (const key of [8, 7, 6, 5]) assert.equal(kept.get(key), `value ${key}`, String(key))
  for (const key of [0, 1, 2]) assert.equal(kept.get(key), undefined, String(key))
})

void test('generations: what is asked for again and again outlives what is not', () => {
  const kept = createGenerations<number, string>(3)
  kept.set(-1, 'asked for')
  for (let key = 0; key < 100; key++) {
    kept.set(key, 'once')
    assert.equal(kept.get(-1), 'asked for')
  }
  assert.equal(kept.get(50), undefined)
})

void test('generations: a value set again is the newer one', () => {
  const kept = createGenerations<string, number>(2)
  kept.set('a', 1)
  kept.set('b', 1)
  kept.set('a', 2)
  kept.set('c', 3)
  assert.equal(kept.get('a'), 2)
})
