import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import fc from 'fast-check'

import { Fault } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import type { FrozenShape } from './frozen-shape.ts'
import { IdChunk } from './id-filter.ts'
import { PackedRows } from './packed-rows.ts'
import type { Extent } from './segment-index.ts'
import { draftEnding, SegmentWriter } from './segment-writer.ts'
import { FrozenTable, Segment } from './segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-segment-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const facts: FrozenShape = {
  name: 'fact',
  columns: ['pos', 'value', 'hash'],
  forms: ['place', 'integer', 'bytes'],
  keyLength: 1,
  groupRows: 256,
}
const list: FrozenShape = {
  name: 'list',
  columns: ['address_id', 'pos'],
  forms: ['integer', 'place'],
  keyLength: 2,
  groupRows: 256,
}
const subject = {
  store: 'evm-1',
  genesisHash: '0x00',
  from: 0,
  until: 300,
  parentHash: '',
  lastHash: '00',
  firn: 'test',
}

/** Rows of 300 blocks; enough for two levels of fences. */
const factRows = Array.from({ length: 70_000 }, (_, at): Row => [
  Math.floor(at / 234) * placesPerBlock + (at % 234),
  at % 11 === 0 ? null : at * 7_919,
  Uint8Array.from({ length: at % 5 }, (__, place) => at + place),
])
const listRows = Array.from({ length: 900 }, (_, at): Row => [
  2 * Math.floor(at / 100),
  (at % 100) * placesPerBlock + 3,
])

/** Writes a segment of `facts` rows; gives its path. */
async function written(rows: readonly Row[], shape = facts): Promise<string> {
  const writer = new SegmentWriter(join(folder, `new${draftEnding}`))
  await writer.table(shape, async (into) => into.add(rows))
  await writer.table(list, async (into) => into.add(listRows))
  return join(folder, `${writer.finish(subject).name}.ice`)
}

// Groups of 7 make levels of fences that 70,000 rows do not fill.
for (const groupRows of [256, 7, 1])
  void test(`segment: every row is found by its number and by its key, in groups of ${groupRows}`, async () => {
    const segment = new Segment(await written(factRows, { ...facts, groupRows }))
    const table = segment.table('fact')
    assert.ok(table !== undefined)
    assert.equal(table.rows, factRows.length)
    for (let row = 0; row < factRows.length; row += 13) {
      const expected = factRows[row]
      assert.deepEqual(table.values(row), expected)
      assert.equal(table.lowerBound([Number(expected?.[0])]), row)
    }
    // Across groups of rows, of which one begins and one ends in the middle.
    assert.deepEqual(table.valuesOf(100, 1_200), factRows.slice(100, 1_200))
    assert.equal(table.lowerBound([-1]), 0)
    assert.equal(table.lowerBound([Number.MAX_SAFE_INTEGER]), factRows.length)
    // Between two blocks: the first row of the next one.
    assert.equal(table.lowerBound([placesPerBlock - 1]), 234)
    segment.close()
  })

void test('segment: a list is a range of its key', async () => {
  const segment = new Segment(await written([]))
  assert.equal(segment.table('fact')?.lowerBound([0]), 0)
  const table = segment.table('list')
  assert.ok(table !== undefined)
  for (const [id, from, until] of [
    [0, 0, 100],
    [1, 100, 100],
    [16, 800, 900],
    [17, 900, 900],
  ] as const) {
    assert.equal(table.lowerBound([id]), from)
    assert.equal(table.lowerBound([id + 1]), until)
  }
  assert.equal(table.lowerBound([4, 50 * placesPerBlock]), 250)
  segment.close()
})

void test('segment: who is not in a list is known without reading a row', async () => {
  const path = await written([])
  const segment = new Segment(path)
  const shape = segment.table('list')?.shape
  segment.close()
  assert.ok(shape !== undefined)
  const bytes = readFileSync(path)
  const read = { groups: 0, chunks: 0 }
  const bytesOf = ({ offset, length }: Extent): Uint8Array =>
    Uint8Array.from(bytes.subarray(offset, offset + length))
  const table = new FrozenTable(shape, {
    group: ({ extent, forms }) => {
      if (extent.offset !== shape.filter?.offset) read.groups++
      return new PackedRows(forms, bytesOf(extent))
    },
    chunk: (extent) => {
      read.chunks++
      return new IdChunk(bytesOf(extent))
    },
  })
  for (const id of [-1, 1, 15, 17, 65_536, 2 ** 40]) assert.equal(table.mayKnow(id), false)
  // Ids of another chunk are known not to be there by the directory.
  assert.deepEqual(read, { groups: 0, chunks: 3 })
  assert.equal(table.mayKnow(16), true)
  assert.equal(table.knownIds(), 9)
  assert.deepEqual(read, { groups: 0, chunks: 5 })
})

void test('segment: equal rows have equal names, and nothing is left of a draft', async () => {
  const rows = factRows.slice(0, 1_000)
  const path = await written(rows)
  assert.equal(await written(rows), path)
  assert.notEqual(await written(rows.slice(1)), path)
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.endsWith(draftEnding)),
    [],
  )
  const writer = new SegmentWriter(join(folder, `new${draftEnding}`))
  writer.abandon()
  assert.ok(!readdirSync(folder).includes(`new${draftEnding}`))
})

void test('segment: files that are cut or altered give a fault, or the right rows', async () => {
  const rows = factRows.slice(0, 600)
  const bytes = readFileSync(await written(rows))
  const path = join(folder, 'altered.ice')
  let faults = 0
  fc.assert(
    fc.property(
      fc.nat(bytes.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (at, change, isCut) => {
        const altered = Uint8Array.from(isCut ? bytes.subarray(0, at) : bytes)
        if (!isCut) altered[at] = (altered[at] ?? 0) ^ change
        writeFileSync(path, altered)
        try {
          const segment = new Segment(path)
          try {
            const table = segment.table('fact')
            for (const [row, expected] of rows.entries())
              assert.deepEqual(table?.values(row), expected)
            assert.equal(table?.lowerBound([Number(rows[77]?.[0])]), 77)
            // What a reading of rows did not meet, a check of the file does.
            assert.notDeepEqual(segment.damagedTables(), [], `byte ${at}`)
          } finally {
            segment.close()
          }
        } catch (error) {
          assert.ok(error instanceof Fault, String(error))
          assert.ok(error.code === 'store-failed' || error.code === 'store-version', error.message)
          faults++
        }
      },
    ),
    { numRuns: 400 },
  )
  assert.ok(faults > 200, `only ${faults} faults`)
})
