import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ByteColumn } from './byte-column.ts'

void test('byte column: rows are cut from one memory, absent ones are null', () => {
  const column = new ByteColumn(
    Uint8Array.of(1, 2, 3, 4, 5),
    { offset: Uint32Array.of(3, 0, 1), length: Uint32Array.of(2, 0, 3) },
    { count: 3, present: Uint8Array.of(1, 1, 0) },
  )
  assert.equal(column.length, 3)
  assert.deepEqual(column.at(0), Uint8Array.of(4, 5))
  assert.deepEqual(column.at(1), new Uint8Array())
  assert.equal(column.at(2), null)
})
