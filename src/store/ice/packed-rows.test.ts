import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { Fault } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import { packRows, PackedRows } from './packed-rows.ts'
import type { ColumnForm } from './row-columns.ts'

const forms: readonly ColumnForm[] = ['integer', 'place', 'bytes']
const integers = fc.oneof(
  fc.constant(null),
  fc.nat(3),
  fc.maxSafeInteger(),
  fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 + 3 }),
)
const places = fc.tuple(fc.nat(2 ** 30), fc.nat(placesPerBlock - 1))
const strings = fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 40 }))
const rowsOf = fc.array(
  fc
    .tuple(integers, places, strings)
    .map(([integer, [height, place], bytes]): Row => [
      integer,
      height * placesPerBlock + place,
      bytes,
    ]),
  { minLength: 1, maxLength: 256 },
)

void test('packed rows: what is read is what was written', () => {
  fc.assert(
    fc.property(rowsOf, (rows) => {
      const range = rows.flatMap(([value]) => (typeof value === 'number' ? [value] : []))
      // Values of one group lie within what a double holds.
      fc.pre(Math.max(0, ...range) - Math.min(0, ...range) < Number.MAX_SAFE_INTEGER)
      const packed = new PackedRows(forms, packRows(forms, rows))
      assert.equal(packed.count, rows.length)
      for (const [at, row] of rows.entries()) assert.deepEqual(packed.row(at), [...row])
    }),
    { numRuns: 300 },
  )
})

void test('packed rows: equal values take no room, runs little', () => {
  const rows = Array.from({ length: 256 }, (_, at): Row => [Math.floor(at / 64) * 1_000_000])
  assert.equal(packRows(['integer'], rows).length, 2 + 12 + 11 + 5 + 8)
  const same = rows.map((): Row => [7])
  assert.equal(packRows(['integer'], same).length, 2 + 10 + 8)
})

void test('packed rows: bytes that are cut or altered are a fault, or rows', () => {
  fc.assert(
    fc.property(rowsOf, fc.nat(), fc.nat(255), (rows, place, change) => {
      const bytes = packRows(forms, rows)
      const at = place % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ change
      for (const altered of [bytes, bytes.subarray(0, at)]) {
        try {
          const packed = new PackedRows(forms, altered)
          for (let row = 0; row < packed.count; row++) packed.row(row)
        } catch (error) {
          // Lengths of strings are read with the rows, where only faults of the store are expected.
          const isExpected = error instanceof Fault && /^(bad-bytes|store-failed)$/.test(error.code)
          assert.ok(isExpected, String(error))
        }
      }
    }),
    { numRuns: 300 },
  )
})
