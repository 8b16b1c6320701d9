import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AddressTable } from './address-table.ts'

void test('address table: entries stay while it grows, whatever room it began with', () => {
  type Address = readonly [number, number, number, number, number]
  for (const room of [1, 32, 33, 100]) {
    const table = new AddressTable(room)
    const all = Array.from({ length: 1_000 }, (_, at): Address => [at, 7, at * 3, 0, at % 5])
    for (const [entry, address] of all.entries()) {
      assert.equal(table.find(...address), -1)
      assert.equal(table.entryOf(...address), entry)
    }
    for (const [entry, address] of all.entries()) {
      assert.equal(table.find(...address), entry)
      assert.equal(table.entryOf(...address), entry)
    }
    assert.deepEqual([...table.words], all.flat())
    table.clear()
    assert.equal(table.find(...(all[0] ?? [0, 0, 0, 0, 0])), -1)
    assert.equal(table.count, 0)
  }
})
