import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { CopiedCheck } from '../../../store/copied-history.ts'
import { innerSample, sampledHeights, nextUnits } from './units-to-compare.ts'

const seed = '00'.repeat(16)

void test('of each piece the ends and so many between are drawn, each once', () => {
  for (const [from, until, percent, inner] of [
    [0, 1, 1, 0],
    [7, 9, 1, 0],
    [0, 50, 1, 48],
    [0, 402, 1, 100],
    [1_000, 101_000, 1, 1_000],
    [0, 10_002, 50, 5_000],
  ] as const) {
    const heights = sampledHeights({ from, until, percent, seed })
    assert.equal(innerSample({ from, until }, percent), inner)
    assert.equal(new Set(heights).size, inner + Math.min(2, until - from))
    assert.deepEqual([heights[0], heights.at(-1)], [from, until - 1])
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => a - b),
    )
  }
})

void test('another seed and another piece draw others', () => {
  const piece = { from: 0, until: 5_000, percent: 1 }
  const texts = new Set(
    [
      { ...piece, seed },
      { ...piece, seed: '01'.repeat(16) },
      { ...piece, until: 5_001, seed },
      { from: 5_000, until: 10_000, percent: 1, seed },
    ].map((each) =>
      sampledHeights(each)
        .map((height) => height % 5_000)
        .join(),
    ),
  )
  assert.equal(texts.size, 4)
})

void test('units follow one another, apart where traces begin or end', () => {
  const copied = { from: 0, until: 40, ends: [40], tracedUntil: 25, confirmed: 0 }
  const limits = { blocks: 10, units: 8, traced: { from: 5, until: 25 } }
  const check: CopiedCheck = {
    percent: 100,
    seed,
    next: 3,
    compared: 3,
    isDone: false,
  }
  assert.deepEqual(
    nextUnits(copied, check, limits).map(({ from, until, isTraced }) => [from, until, isTraced]),
    [
      [3, 5, false],
      [5, 15, true],
      [15, 25, true],
      [25, 35, false],
      [35, 40, false],
    ],
  )
  assert.deepEqual(nextUnits(copied, { ...check, next: 40 }, limits), [])
  const [first] = nextUnits(copied, { ...check, percent: 1 }, { ...limits, units: 1 })
  assert.deepEqual(first, { from: 3, until: 5, isTraced: false })
})
