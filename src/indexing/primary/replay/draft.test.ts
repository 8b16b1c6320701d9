import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fetchEnough, newBatchSize } from './draft.ts'

function blocks(count: number, bytes: number): { readonly bytes: Uint8Array }[] {
  const block = { bytes: new Uint8Array(bytes) }
  return Array.from({ length: count }, () => block)
}

void test('batch size: grows with small blocks, step by step, up to a most', () => {
  const size = newBatchSize()
  const seen = [size.heights()]
  for (let at = 0; at < 5; at++) {
    size.saw(blocks(size.heights(), 100))
    seen.push(size.heights())
  }
  assert.deepEqual(seen, [256, 512, 1_024, 2_048, 4_096, 4_096])
})

void test('batch size: large blocks make it smaller at once, but never nothing', () => {
  const size = newBatchSize()
  size.saw(blocks(256, 32_768))
  assert.equal(size.heights(), 256)
  size.saw(blocks(64, 2 ** 21))
  assert.equal(size.heights(), 16)
  size.saw([])
  assert.equal(size.heights(), 16)
})

void test('batch size: blocks that have grown are fetched no further than a batch', async () => {
  const ranges: [number, number][] = []
  const fetched = async (bytes: number): Promise<number> => {
    ranges.length = 0
    const found = await fetchEnough({ from: 10, until: 5_010 }, async ({ from, until }) => {
      ranges.push([from, until])
      return blocks(until - from, bytes)
    })
    return found.length
  }
  assert.equal(await fetched(100), 5_000)
  assert.deepEqual(ranges.at(-1), [4_106, 5_010])
  assert.equal(await fetched(8_192), 1_024)
  assert.deepEqual(ranges, [[10, 1_034]])
})
