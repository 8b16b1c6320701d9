import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RequestWindow } from './request-window.ts'

const limits = { first: 8, most: 32, slowMs: 2_000, slowerBy: 2 }

/** Sizes after each of `count` replies of a node that takes `msOf` of the requests under way. */
function sizesOf(
  window: RequestWindow,
  count: number,
  msOf: (underWay: number) => number,
): readonly number[] {
  return Array.from({ length: count }, () => {
    window.succeeded(msOf(window.size))
    return window.size
  })
}

void test('request window: grows to its most where requests do not wait for one another', () => {
  const window = new RequestWindow(limits)
  assert.equal(window.size, 8)
  const sizes = sizesOf(window, 200, () => 100)
  assert.equal(sizes.at(-1), 32)
  assert.ok(sizes.every((size) => size >= 8 && size <= 32))
})

void test('request window: is what a node works on at once, and not all that it takes', () => {
  // Four cores, 20 ms a trace: the time of a reply grows with the requests that wait.
  const window = new RequestWindow(limits)
  const sizes = sizesOf(window, 4_000, (underWay) => Math.max(20, (underWay / 4) * 20))
  const late = sizes.slice(1_000)
  assert.ok(Math.max(...late) <= 20, String(Math.max(...late)))
  assert.ok(Math.min(...late) >= 8, String(Math.min(...late)))
})

void test('request window: work that becomes heavier does not close it, and opens it again', () => {
  const window = new RequestWindow(limits)
  sizesOf(window, 500, () => 5)
  const heavy = sizesOf(window, 4_000, () => 100)
  assert.ok(Math.min(...heavy) >= 8)
  assert.equal(heavy.at(-1), 32)
})

void test('request window: does not grow while replies are slow, and trouble halves it', () => {
  const window = new RequestWindow(limits)
  assert.ok(sizesOf(window, 500, () => 3_000).every((size) => size === 8))
  window.shrink()
  window.shrink()
  assert.equal(window.size, 2)
  for (let times = 0; times < 5; times++) window.shrink()
  assert.equal(window.size, 1)
  // From then on it grows by one, a size at a time.
  const again = new RequestWindow({ first: 8, most: 32, slowMs: 500 })
  again.shrink()
  assert.deepEqual(
    sizesOf(again, 9, () => 100),
    [4, 4, 4, 5, 5, 5, 5, 5, 6],
  )
})

void test('request window: of quick requests grows by one after trouble, and is not made smaller by slow replies', () => {
  const window = new RequestWindow({ first: 16, most: 64, slowMs: 500 })
  sizesOf(window, 200, () => 10)
  assert.equal(window.size, 64)
  sizesOf(window, 200, () => 5_000)
  assert.equal(window.size, 64)
  window.shrink()
  sizesOf(window, 200, () => 10)
  assert.ok(window.size > 32 && window.size < 40, String(window.size))
})
