import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Clock } from '../../core/world.ts'
import { createPageTokens } from '../operation/page-token.ts'
import { weighedPage } from './lists.ts'

const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() }
const tokens = createPageTokens([{ id: 1, secret: new Uint8Array(32) }], clock)

/** All pages of rows with these weights, by weight. */
async function pagesOf(
  weights: readonly number[],
  limit: number,
  rowsAtOnce: number,
): Promise<number[][]> {
  const pages: number[][] = []
  let pageToken: string | undefined
  do {
    const page = await weighedPage(tokens, {
      route: 'test',
      subject: { network: 'fuji' },
      query: { pageToken, pageSize: limit },
      rowsAtOnce,
      maxWeight: 10,
      weightOf: (at: number) => weights[at] ?? 0,
      numberOf: (at: number) => at,
      rows: async (after, count) =>
        weights.map((_, at) => at).slice((after ?? -1) + 1, (after ?? -1) + 1 + count),
    })
    pages.push(page.rows.map((at) => weights[at] ?? 0))
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return pages
}

void test('pages: end with their weight or their size, and lose nothing, however they are read', async () => {
  for (const rowsAtOnce of [1, 2, 3, 100]) {
    assert.deepEqual(await pagesOf([4, 6, 1, 9, 1, 3], 100, rowsAtOnce), [
      [4, 6],
      [1, 9],
      [1, 3],
    ])
    assert.deepEqual(await pagesOf([0, 0, 0, 0, 0], 2, rowsAtOnce), [[0, 0], [0, 0], [0]])
  }
})

void test('pages: what alone is too heavy comes alone', async () => {
  assert.deepEqual(await pagesOf([1, 50, 60, 2], 100, 2), [[1], [50], [60], [2]])
})

void test('pages: one that holds the rest exactly has no token', async () => {
  assert.deepEqual(await pagesOf([1, 2, 3], 3, 2), [[1, 2, 3]])
  assert.deepEqual(await pagesOf([5, 5], 100, 1), [[5, 5]])
  assert.deepEqual(await pagesOf([], 100, 1), [[]])
})
