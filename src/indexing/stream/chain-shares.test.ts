import assert from 'node:assert/strict'
import { test } from 'node:test'

import { surplus } from './chain-shares.ts'

const keys = ['a', 'b', 'c', 'd'].map((key) => ({ key, weight: 1 }))
const all = keys.map(({ key }) => key)
const other = (weight: number, waits: readonly string[]) => ({ weight, waits })
const given = (
  held: typeof keys,
  share: number,
  others: readonly ReturnType<typeof other>[],
  least = 0,
): readonly string[] => surplus(held, { share, least }, others)

void test('shares: nothing is given up that nobody waits for', () => {
  assert.deepEqual(given(keys, 2, [other(0, [])]), [])
  assert.deepEqual(given(keys, 2, [other(0, ['x'])]), [])
  assert.deepEqual(given(keys, 2, []), [])
})

void test('shares: given up is what is too much, and what another one below its share waits for', () => {
  assert.deepEqual(given(keys, 2, [other(0, ['d', 'b', 'c'])]), ['b', 'c'])
  assert.deepEqual(given(keys, 2, [other(1, all)]), ['a'])
  assert.deepEqual(given(keys, 2, [other(2, all)]), [])
  assert.deepEqual(given(keys, 4, [other(0, all)]), [])
})

void test('shares: two others never get the same store, nor together more than is too much', () => {
  assert.deepEqual(given(keys, 2, [other(1, all), other(0, all)]), ['a', 'b'])
  assert.deepEqual(given(keys, 3, [other(1, all), other(0, all)]), ['a'])
})

void test('shares: a chain that is filled counts for more, and moves only where that evens them out', () => {
  const [a, b, c] = [
    { key: 'a', weight: 11 },
    { key: 'b', weight: 9 },
    { key: 'c', weight: 1 },
  ]
  // Twice as much here as there: the one that fits moves.
  assert.deepEqual(given([a, b, c], 11, [other(1, all)]), ['b', 'c'])
  assert.deepEqual(
    given([a, c], 6, [other(1, all)]),
    ['c'],
    'the heavy one would only change places',
  )
  assert.deepEqual(given([a], 6, [other(0, all)]), [])
  assert.deepEqual(given([a, c], 11, [other(9, all)], 2.5), [], 'too little to move for')
  assert.deepEqual(given([a, b], 10, [other(0, ['b'])], 2), ['b'])
})
