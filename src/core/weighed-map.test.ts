import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WeighedMap } from './bounded-maps.ts'

/** Texts, by two bytes a character; no pair may take more than a sixteenth. */
function textsOf(most: number): WeighedMap<string, string> {
  return new WeighedMap(
    { most, largest: most / 16 },
    (key, value) => 2 * (key.length + value.length),
  )
}

void test('weighed map: the least used goes first, and the limit holds at every step', () => {
  // Ten characters a pair: twenty bytes.
  const cache = textsOf(320)
  const pair = (at: number): [string, string] => [`key${at}`.padEnd(5), `v${at}`.padEnd(5)]
  for (let at = 0; at < 16; at++) cache.set(...pair(at))
  assert.equal(cache.weight, 320)
  assert.equal(cache.get(pair(0)[0]), pair(0)[1], 'used again')
  cache.set(...pair(16))
  assert.equal(cache.weight, 320)
  assert.equal(cache.get(pair(1)[0]), undefined)
  assert.equal(cache.get(pair(0)[0]), pair(0)[1])
})

void test('weighed map: a key set again holds its last value and counts once', () => {
  const cache = textsOf(1_600)
  cache.set('a', 'first')
  cache.set('a', 'second one')
  assert.equal(cache.get('a'), 'second one')
  assert.equal(cache.weight, 22)
})

void test('weighed map: an entry larger than a sixteenth of it is not kept', () => {
  const cache = textsOf(1_600)
  cache.set('a', 'x'.repeat(49))
  cache.set('b', 'x'.repeat(50))
  assert.equal(cache.get('a')?.length, 49)
  assert.equal(cache.get('b'), undefined)
})
