import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import fc from 'fast-check'

import type { Row } from '../engine/database.ts'
import { balance } from '../schema/evm.ts'
import { shapesOf } from './frozen-shape.ts'
import { MergedAmounts } from './merged-amounts.ts'
import { MergedRows } from './merged-rows.ts'
import { amountCells, RunningTotals } from './running-amounts.ts'
import { SegmentWriter } from './segment-writer.ts'
import { Segment } from './segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-amounts-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const [shape] = shapesOf(balance)
assert.ok(shape !== undefined)
const subject = { store: 's', genesisHash: '', from: 0, until: 1, parentHash: '', lastHash: '' }

/** A change of a pair at a height. */
type Change = { readonly pair: readonly [number, number]; height: number; by: bigint }

/** Rows of `balance` of some blocks: sums of their changes alone. */
function rowsOf(changes: readonly Change[]): Row[] {
  const rows: Row[] = []
  const sorted = changes.toSorted(
    (a, b) => a.pair[0] - b.pair[0] || a.pair[1] - b.pair[1] || a.height - b.height,
  )
  let sum = 0n
  for (const [at, { pair, height, by }] of sorted.entries()) {
    const before = sorted[at - 1]
    const isFirst = before?.pair.join() !== pair.join()
    sum = isFirst ? by : sum + by
    if (isFirst || by !== 0n) rows.push([...pair, height, ...amountCells(sum)])
  }
  return rows
}

async function segmentOf(fill: Parameters<SegmentWriter['table']>[1]): Promise<Segment> {
  assert.ok(shape !== undefined)
  const writer = new SegmentWriter(join(folder, 'one.draft'))
  await writer.table(shape, fill)
  return new Segment(join(folder, `${writer.finish({ ...subject, firn: 'test' }).name}.ice`))
}

const change = fc.record({
  pair: fc.tuple(fc.nat(3), fc.nat(2)),
  height: fc.nat(900),
  by: fc.bigInt({ min: -9n, max: 9n }).map((by) => by * 10n ** 20n),
})

void test('merged amounts: those of the segment that all blocks make at once, and read the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(change, {
        maxLength: 700,
        selector: ({ pair, height }) => [...pair, height].join(),
      }),
      fc.array(fc.nat(900), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 300 }),
      async (changes, cuts, count) => {
        const ends = [...cuts.toSorted((a, b) => a - b), 1_000]
        const parts = ends.map((end, at) =>
          changes.filter(({ height }) => height < end && height >= (ends[at - 1] ?? 0)),
        )
        const sources: Segment[] = []
        for (const part of parts)
          sources.push(await segmentOf(async (into) => into.add(rowsOf(part))))
        const tables = sources.flatMap((source) => source.table(balance.name) ?? [])
        const merged = await segmentOf(async (into) => {
          assert.ok(shape !== undefined)
          const amounts = new MergedAmounts(into, shape)
          const rows = new MergedRows(tables)
          while (rows.addTo((part, range, piece) => amounts.add(part, range, piece), count));
        })
        const wanted = rowsOf(changes)
        const whole = await segmentOf(async (into) => into.add(wanted))
        assert.equal(merged.name, whole.name)
        const totals = new RunningTotals(balance, sources)
        const read = tables.flatMap((table, piece) =>
          Array.from({ length: table.rows }, (_, row) => totals.cellsOf(table, row, piece)),
        )
        const rows = read.flatMap((cells) =>
          cells === undefined ? [] : [[0, 1, 2, 3, 4].map((column) => cells.cell(column))],
        )
        const byKey = (one: Row, other: Row): number =>
          Number(one[0]) - Number(other[0]) ||
          Number(one[1]) - Number(other[1]) ||
          Number(one[2]) - Number(other[2])
        assert.deepEqual(rows.toSorted(byKey).map(textOf), wanted.map(textOf))
        for (const segment of [...sources, merged, whole]) segment.close()
      },
    ),
    { numRuns: 60 },
  )
})

function textOf(row: Row): string {
  return row
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value))
    .join(' ')
}
