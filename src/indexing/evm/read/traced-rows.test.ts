import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault, faultOf } from '../../../core/fault.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import type { TracedRow } from '../../../store/query/evm/transactions.ts'
import { TracedRows } from './traced-rows.ts'

function rowsOf({ from, until }: HeightRange, each: number): TracedRow[] {
  const rows: TracedRow[] = []
  for (let height = from; height < until; height++)
    for (let at = 0; at < each; at++)
      rows.push({
        height,
        hash: Uint8Array.of(height, at),
        from: new Uint8Array(20),
        to: undefined,
        value: new Uint8Array(),
        gasUsed: at,
        isFailedCreation: false,
      })
  return rows
}

void test('rows of traces: each height has its own, in order, in few questions of a bounded size', async () => {
  const ranges: HeightRange[] = []
  const rows = new TracedRows(async (range) => {
    ranges.push(range)
    return rowsOf(range, 40)
  })
  // As the pipeline does: up to 64 heights at once, which end in any order.
  for (let from = 5; from < 3_005; from += 64) {
    const heights = Array.from({ length: Math.min(64, 3_005 - from) }, (_, at) => from + at)
    const found = await Promise.all(
      heights.map((height) => rows.of({ from: height, until: height + 1 }, 3_004)),
    )
    for (const [at, height] of heights.entries()) {
      const own = found[at] ?? []
      assert.ok(own.length === 40 && own.every((row, nth) => row.gasUsed === nth))
      assert.ok(
        own.every((row) => row.height === height),
        `height ${height}`,
      )
    }
  }
  assert.ok(ranges.length < 20, `${ranges.length} questions`)
  const most = Math.max(...ranges.map(({ from, until }) => until - from))
  assert.ok(most * 40 <= 8_192, `${most} blocks at once`)
  assert.equal(Math.max(...ranges.map(({ until }) => until)), 3_005)
})

void test('rows of traces: a question that fails is sent again, and nothing beyond the head is', async () => {
  let fails = true
  const rows = new TracedRows(async (range) => {
    if (fails) throw new Fault('store-failed', 'not now')
    return rowsOf(range, 1)
  })
  const range = { from: 3, until: 4 }
  await assert.rejects(rows.of(range, 3), (error) => faultOf(error)?.code === 'store-failed')
  fails = false
  assert.deepEqual(await rows.of(range, 3), rowsOf(range, 1))
  await assert.rejects(
    rows.of({ from: 4, until: 5 }, 3),
    (error) => faultOf(error)?.code === 'node-not-yet',
  )
  // The block has come.
  assert.deepEqual(await rows.of({ from: 4, until: 5 }, 4), rowsOf({ from: 4, until: 5 }, 1))
})

void test('rows of traces: forgotten, they are read again as they are now', async () => {
  let each = 1
  const rows = new TracedRows(async (range) => rowsOf(range, each))
  const range = { from: 3, until: 4 }
  assert.equal((await rows.of(range, 9)).length, 1)
  each = 2
  assert.equal((await rows.of(range, 9)).length, 1)
  rows.forget()
  assert.equal((await rows.of(range, 9)).length, 2)
})
