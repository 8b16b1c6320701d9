import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import fc from 'fast-check'

import { Fault } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import type { FrozenShape } from './frozen-shape.ts'
import { MergedRows } from './merged-rows.ts'
import { SegmentWriter } from './segment-writer.ts'
import { Segment } from './segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-merge-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const list: FrozenShape = {
  name: 'list',
  columns: ['address_id', 'pos', 'note', 'amount'],
  forms: ['integer', 'place', 'bytes', 'integer'],
  keyLength: 2,
  groupRows: 16,
}

/** Rows of `addresses` at heights `[from, until)`: the list of each is in order of history. */
function rowsOf(addresses: number, from: number, until: number): Row[] {
  const rows: Row[] = []
  for (let address = 0; address < addresses; address++)
    for (let height = from; height < until; height++)
      if ((height * 7 + address * 3) % 5 < 2)
        rows.push([
          address,
          height * placesPerBlock + (address % 7),
          address % 2 === 0 ? null : new Uint8Array(height % 90).fill(address),
          height % 3 === 0 ? null : address * 2 ** 30 - height,
        ])
  return rows
}

function byKey(one: Row, other: Row): number {
  return Number(one[0]) - Number(other[0]) || Number(one[1]) - Number(other[1])
}

const subject = {
  store: 's',
  genesisHash: '',
  from: 0,
  until: 1,
  parentHash: '',
  lastHash: '',
  firn: 'test',
}

/** A segment of the list, whose rows `fill` hands on. */
async function segmentOf(fill: Parameters<SegmentWriter['table']>[1]): Promise<Segment> {
  const writer = new SegmentWriter(join(folder, 'one.draft'))
  await writer.table(list, fill)
  return new Segment(join(folder, `${writer.finish(subject).name}.ice`))
}

/** Name of the segment that merging those of `parts` gives, and of one that is made of all rows. */
async function names(parts: readonly (readonly Row[])[], count: number): Promise<string[]> {
  const sources: Segment[] = []
  for (const rows of parts) sources.push(await segmentOf(async (into) => into.add(rows)))
  const tables = sources.flatMap((source) => source.table('list') ?? [])
  const merged = await segmentOf(async (into) => {
    const rows = new MergedRows(tables)
    while (rows.addTo((part, { from, until }) => into.addRange(part, from, until), count));
  })
  const whole = await segmentOf(async (into) => into.add(parts.flat().toSorted(byKey)))
  const opened = [merged, whole]
  for (const segment of [...sources, ...opened]) segment.close()
  return opened.map(({ name }) => name)
}

void test('merged rows: the segment has the name of one that is made of all rows at once', async () => {
  const parts = [
    rowsOf(90, 0, 40),
    [],
    rowsOf(90, 41, 300),
    rowsOf(120, 300, 310),
    rowsOf(1, 310, 2_000),
  ]
  for (const count of [1, 100, 1_000_000]) {
    const [merged, whole] = await names(parts, count)
    assert.equal(merged, whole)
  }
  const [none, nothing] = await names([[], []], 10)
  assert.equal(none, nothing)
})

void test('merged rows: of any tables', async () => {
  const part = fc.array(fc.tuple(fc.nat(5), fc.nat(400)), { maxLength: 900 })
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 9 }), async (drawn) => {
      const parts = drawn.map((entries, number) => {
        const seen = new Map<string, Row>()
        for (const [address, height] of entries) {
          const pos = (number * 401 + height) * placesPerBlock
          const note = height % 2 === 0 ? null : new Uint8Array(height % 5).fill(address)
          seen.set(`${address} ${height}`, [address, pos, note, height])
        }
        return [...seen.values()].toSorted(byKey)
      })
      const [merged, whole] = await names(parts, 64)
      assert.equal(merged, whole)
    }),
    { numRuns: 30 },
  )
})

void test('segment writer: a full disk is store-full, and the file is taken away', async () => {
  const draft = join(folder, 'full.draft')
  // A device that is always full.
  symlinkSync('/dev/full', draft)
  const writer = new SegmentWriter(draft)
  const rows = Array.from({ length: 5_000 }, (_, at): Row => [at, at, new Uint8Array(400), at])
  await assert.rejects(
    writer.table(list, async (into) => into.add(rows)),
    (fault) => fault instanceof Fault && fault.code === 'store-full',
  )
  writer.abandon()
  assert.ok(!readdirSync(folder).includes('full.draft'))
})
