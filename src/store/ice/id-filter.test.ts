import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'

import fc from 'fast-check'

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { directoryForms, IdChunk, IdFilter, IdFilterWriter } from './id-filter.ts'
import { PackedRows } from './packed-rows.ts'

/** A filter of `ids` that was written, its pieces and the forms of its chunks. */
function filterOf(ids: Iterable<number>): {
  readonly filter: IdFilter
  readonly bytes: number
  readonly forms: readonly number[]
} {
  const made = new IdFilterWriter()
  const sorted = Float64Array.from(ids).toSorted()
  // In pieces of any length: what is written does not depend on them.
  for (let at = 0; at < sorted.length; at += 700) {
    const piece = sorted.subarray(at, at + 700)
    made.add(piece, piece.length)
  }
  const pieces = new Map<number, Uint8Array>()
  let offset = 0
  const extent = made.finish((bytes) => {
    const place = { offset, length: bytes.length, crc: crc32(bytes) }
    pieces.set(offset, bytes)
    offset += bytes.length
    return place
  })
  assert.ok(extent !== undefined)
  const at = (place: number): Uint8Array => pieces.get(place) ?? new Uint8Array()
  const directory = new PackedRows(directoryForms, at(extent.offset))
  assert.equal(directory.count, extent.chunks)
  const filter = new IdFilter({
    directory: () => directory,
    chunk: (rows, row) => new IdChunk(at(Number(rows.cell(row, 1)))),
  })
  const forms = [...pieces.values()].slice(0, -1).map((bytes) => itemAt(bytes, 0))
  return { filter, bytes: offset, forms }
}

function check(ids: ReadonlySet<number>, asked: Iterable<number>): void {
  const { filter } = filterOf(ids)
  assert.equal(filter.count(), ids.size)
  for (const id of asked) assert.equal(filter.has(id), ids.has(id), `id ${id}`)
  for (const id of ids) assert.ok(filter.has(id), `id ${id}`)
}

/** Ids that lie together: some near each other, some in other chunks. */
const cluster = fc
  .record({
    from: fc.oneof(fc.nat(2 ** 17), fc.nat(2 ** 32 - 2 ** 18)),
    steps: fc.array(fc.oneof(fc.constant(1), fc.nat(40), fc.nat(3_000)), { maxLength: 400 }),
  })
  .map(({ from, steps }) => {
    let id = from
    return steps.map((step) => (id += step))
  })

void test('filter: it has the ids that were added, and no others', () => {
  fc.assert(
    fc.property(fc.array(cluster, { minLength: 1, maxLength: 5 }), (clusters) => {
      const ids = new Set(clusters.flat())
      if (ids.size === 0) return
      check(
        ids,
        [...ids].flatMap((id) => [id - 1, id + 1, id ^ 7, id + 65_536, id % 65_536]),
      )
    }),
    { numRuns: 200 },
  )
})

const range = (from: number, until: number, step = 1): Set<number> =>
  new Set(Array.from({ length: Math.ceil((until - from) / step) }, (_, at) => from + at * step))

/** Sets, and the forms that their chunks must have: 0 list, 1 runs, 2 bits. */
const edges: readonly (readonly [string, ReadonlySet<number>, readonly number[]])[] = [
  ['one id', new Set([0]), [0]],
  ['the last id of a chunk', new Set([65_535]), [0]],
  ['both sides of a chunk', new Set([65_535, 65_536]), [0, 0]],
  ['the greatest id', new Set([65_535 * 65_536 - 1]), [0]],
  ['all of a chunk', range(0, 65_536), [1]],
  ['all of three chunks', range(0, 3 * 65_536), [1, 1, 1]],
  ['all but one', new Set([...range(0, 65_536)].filter((id) => id !== 777)), [1]],
  ['every other one', range(0, 65_536, 2), [2]],
  ['every other one, at the end', range(60_001, 65_536, 2), [2]],
  ['every other one, over a border', range(65_000, 66_000, 2), [2, 2]],
  ['every twentieth', range(3, 65_536, 20), [0]],
  ['most of them, in runs', new Set([...range(0, 30_000), ...range(30_001, 65_536)]), [1]],
]
for (const [name, ids, expected] of edges)
  void test(`filter: ${name}`, () => {
    assert.deepEqual(filterOf(ids).forms, expected)
    check(ids, [...range(0, 200_000), -1, -65_536, 0.5, Number.NaN, Infinity, 2 ** 32, 2 ** 53])
  })

void test('filter: equal neighbours count once, and no id makes no filter', () => {
  const made = new IdFilterWriter()
  assert.equal(
    made.finish(() => assert.fail('nothing is written')),
    undefined,
  )
  assert.equal(filterOf([5, 5, 5, 6, 70_000, 70_000]).filter.count(), 3)
})

void test('filter: it takes two bytes an id at most, and little where ids lie together', () => {
  const spread = range(0, 4_000_000, 40)
  assert.ok(filterOf(spread).bytes < 2.1 * spread.size)
  assert.ok(filterOf(range(100_000, 1_000_000)).bytes < 300)
  assert.ok(filterOf(range(0, 20_000, 2)).bytes < 2_600)
})

void test('filter: what is no id, or out of order, is a fault', () => {
  for (const ids of [[2, 1], [-1], [0.5], [Number.NaN], [65_535 * 65_536]])
    assert.throws(() => new IdFilterWriter().add(Float64Array.from(ids), ids.length), Fault)
})

void test('filter: bytes of no chunk are a fault, or some answer', () => {
  for (const bytes of [[], [0], [0, 1], [1, 0, 0], [2, 0, 0], [3, 0, 0], [1, 0, 0, 1, 0, 1]])
    assert.throws(() => new IdChunk(Uint8Array.from(bytes)), Fault, String(bytes))
  for (const bytes of [
    [0, 5, 0, 4, 0],
    [1, 5, 0, 4, 0],
    [1, 1, 0, 9, 0, 9, 0, 10, 0],
  ])
    assert.throws(() => new IdChunk(Uint8Array.from(bytes)).count(), Fault, String(bytes))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(65_535), (bytes, low) => {
      try {
        assert.equal(typeof new IdChunk(bytes).has(low), 'boolean')
      } catch (error) {
        assert.ok(error instanceof Fault, String(error))
      }
    }),
  )
})
