import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import {
  createFreshReader,
  type FreshChain,
  freshHeaders,
  minHeightOf,
  mostWaiting,
  mostWaitMs,
} from './freshness.ts'

/** A clock that a sleep moves, and a chain that grows by a block each 100 ms of it. */
function growing(): {
  readonly clock: Clock
  readonly chain: FreshChain
  readonly atMs: () => number
} {
  let nowMs = 0
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  }
  const height = (): number => 10 + Math.floor(nowMs / 100)
  const chain: FreshChain = {
    indexedHeight: async () => height(),
    timeOf: async (at) => 1_000 + at,
    headHeight: () => height() + 2,
  }
  return { clock, chain, atMs: () => nowMs }
}

const never = new AbortController().signal

void test('freshness: a height that is there costs no wait, one that comes is waited for', async () => {
  const { clock, chain, atMs } = growing()
  const reader = createFreshReader(clock)
  await reader.reach(chain, 10, never)
  assert.equal(atMs(), 0)
  await reader.reach(chain, 13, never)
  assert.equal(atMs(), 300)
})

void test('freshness: a height that does not come is refused after two seconds, to be sent again', async () => {
  const { clock, chain, atMs } = growing()
  const reader = createFreshReader(clock)
  await assert.rejects(
    reader.reach(chain, 1_000, never),
    (error) => error instanceof Fault && error.code === 'not-ready' && error.detail['reset'] === 1,
  )
  assert.equal(atMs(), mostWaitMs)
})

void test('freshness: so many wait at once, one more is refused at once', async () => {
  const { chain } = growing()
  const wakes: (() => void)[] = []
  let nowMs = 0
  const reader = createFreshReader({
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: () => new Promise((resolve) => wakes.push(resolve)),
  })
  const waiting = Array.from({ length: mostWaiting }, () => reader.reach(chain, 99, never))
  await assert.rejects(
    reader.reach(chain, 99, never),
    (error) => error instanceof Fault && error.code === 'overloaded',
  )
  nowMs = mostWaitMs
  // Each looks a last time once its sleep is over.
  while (wakes.length < mostWaiting) await Promise.resolve()
  for (const wake of wakes) wake()
  const ends = await Promise.allSettled(waiting)
  assert.ok(ends.every(({ status }) => status === 'rejected'))
})

void test('freshness: headers say the height, its time, and a head only where one is known', async () => {
  const { clock, chain } = growing()
  const reader = createFreshReader(clock)
  assert.deepEqual(freshHeaders(await reader.read(chain)), {
    'x-indexed-height': '10',
    'x-indexed-at': '1010',
    'x-head-height': '12',
  })
  const lost = { ...chain, headHeight: () => undefined }
  assert.equal(freshHeaders(await reader.read(lost))['x-head-height'], 'unknown')
  // A source that is behind the store is no head.
  const behind = { ...chain, headHeight: () => 3 }
  assert.equal(freshHeaders(await reader.read(behind))['x-head-height'], '10')
})

void test('freshness: a store without a block is complete up to nowhere', async () => {
  const { clock, chain } = growing()
  const empty = { ...chain, indexedHeight: async () => -1, headHeight: () => undefined }
  assert.deepEqual(freshHeaders(await createFreshReader(clock).read(empty)), {
    'x-head-height': 'unknown',
  })
})

void test('freshness: minHeight is a height or refused', () => {
  assert.equal(minHeightOf({ minHeight: '12' }), 12)
  assert.equal(minHeightOf({ minHeight: '' }), undefined)
  assert.equal(minHeightOf({}), undefined)
  for (const wrong of ['-1', '1.5', 'x', '1e3', ['1', '2']])
    assert.throws(() => minHeightOf({ minHeight: wrong }), Fault, String(wrong))
})
