import assert from 'node:assert/strict'
import { test } from 'node:test'

import { setBounded } from './bounded-maps.ts'

void test('set bounded: the entry put first goes first, and one put again is new', () => {
  const map = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    setBounded(map, key, value, 2)
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  )
})
