import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import fc from 'fast-check'

import type { Row } from '../engine/database.ts'
import { holding } from '../schema/evm.ts'
import { shapesOf } from './frozen-shape.ts'
import { MergedFirsts } from './merged-firsts.ts'
import { MergedRows } from './merged-rows.ts'
import { SegmentWriter } from './segment-writer.ts'
import { Segment } from './segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-firsts-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const [shape] = shapesOf(holding)
assert.ok(shape !== undefined)
const subject = { store: 's', genesisHash: '', from: 0, until: 1, parentHash: '', lastHash: '' }

async function segmentOf(fill: Parameters<SegmentWriter['table']>[1]): Promise<Segment> {
  assert.ok(shape !== undefined)
  const writer = new SegmentWriter(join(folder, 'one.draft'))
  await writer.table(shape, fill)
  return new Segment(join(folder, `${writer.finish({ ...subject, firn: 'test' }).name}.ice`))
}

/** The first height of each pair that is named, in the order of the key. */
function rowsOf(named: readonly (readonly [number, number, number])[]): Row[] {
  const firsts = new Map<string, readonly [number, number, number]>()
  for (const each of named.toSorted((a, b) => a[2] - b[2])) {
    const key = `${each[0]} ${each[1]}`
    if (!firsts.has(key)) firsts.set(key, each)
  }
  return [...firsts.values()].toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
}

void test('merged firsts: those of the segment that all blocks make at once', async () => {
  const named = fc.tuple(fc.nat(3), fc.nat(40), fc.nat(900))
  await fc.assert(
    fc.asyncProperty(
      fc.array(named, { maxLength: 900 }),
      fc.array(fc.nat(900), { maxLength: 6 }),
      fc.integer({ min: 1, max: 300 }),
      async (all, cuts, count) => {
        const ends = [...cuts.toSorted((a, b) => a - b), 1_000]
        const sources: Segment[] = []
        for (const [at, end] of ends.entries()) {
          const part = all.filter(([, , height]) => height < end && height >= (ends[at - 1] ?? 0))
          sources.push(await segmentOf(async (into) => into.add(rowsOf(part))))
        }
        const merged = await segmentOf(async (into) => {
          assert.ok(shape !== undefined)
          const firsts = new MergedFirsts(into, shape)
          const rows = new MergedRows(sources.flatMap((source) => source.table(holding.name) ?? []))
          while (rows.addTo((part, range) => firsts.add(part, range), count));
        })
        const whole = await segmentOf(async (into) => into.add(rowsOf(all)))
        assert.equal(merged.name, whole.name)
        for (const segment of [...sources, merged, whole]) segment.close()
      },
    ),
    { numRuns: 60 },
  )
})
