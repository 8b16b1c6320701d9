import assert from 'node:assert/strict'
import { test } from 'node:test'

import { setBounded, createGenerations, recently, WeighedMap } from './bounded-maps.ts'

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

void test('readings within the time: are one, also while it is under way', async () => {
  let now = 0
  let count = 0
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const read = recently(async () => ++count, { clock, forMs: 20 })
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1])
  now = 19
  assert.equal(await read(), 1)
  now = 20
  assert.equal(await read(), 2)
})

void test('a reading that fails: is not kept', async () => {
  let count = 0
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }
  const read = recently(
    async () => {
      if (++count === 1) throw new Error('away')
      return count
    },
    { clock, forMs: 20 },
  )
  await assert.rejects(read(), /away/)
  assert.equal(await read(), 2)
})

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
