import assert from 'node:assert/strict'
import { test } from 'node:test'

import { surplus } from './chain-shares.ts'

const keys = ['a', 'b', 'c', 'd']
const other = (held: number, waits: readonly string[]) => ({
  owner: `o${held}`,
  beat: 1,
  held,
  waits,
})

void test('shares: nothing is given up that nobody waits for', () => {
  assert.deepEqual(surplus(keys, 2, [other(0, [])]), [])
  assert.deepEqual(surplus(keys, 2, [other(0, ['x'])]), [])
  assert.deepEqual(surplus(keys, 2, []), [])
})

void test('shares: given up is what is too much, and what another one below its share waits for', () => {
  assert.deepEqual(surplus(keys, 2, [other(0, ['d', 'b', 'c'])]), ['b', 'c'])
  assert.deepEqual(surplus(keys, 2, [other(1, keys)]), ['a'])
  assert.deepEqual(surplus(keys, 2, [other(2, keys)]), [])
  assert.deepEqual(surplus(keys, 4, [other(0, keys)]), [])
})

void test('shares: two others never get the same store, nor together more than is too much', () => {
  assert.deepEqual(surplus(keys, 2, [other(1, keys), other(0, keys)]), ['a', 'b'])
  assert.deepEqual(surplus(keys, 3, [other(1, keys), other(0, keys)]), ['a'])
})
