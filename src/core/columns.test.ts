import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  bigs,
  bytesOf,
  type ColumnsOf,
  columnTable,
  doubles,
  readFrom,
  type RowOf,
  words,
} from './columns.ts'

type Person = { readonly born: number; readonly name?: string }

const table = columnTable({
  id: bytesOf(2),
  age: words,
  height: doubles,
  wealth: bigs,
  decade: readFrom(words, ({ born }: Person) => Math.floor(born / 10)),
})
const rows: readonly RowOf<typeof table.kinds>[] = Array.from({ length: 20 }, (_, at) => ({
  id: Uint8Array.of(at, at + 1),
  age: at,
  height: at / 2,
  wealth: 2n ** 64n - 1n - BigInt(at),
  born: 1900 + at,
}))

void test('columns: rows added are the rows that are there', () => {
  const columns = table.growing(0, undefined)
  for (const row of rows) table.append(columns, row)
  const taken: ColumnsOf<typeof table> = table.taken(columns)
  assert.deepEqual(Object.keys(taken), ['count', 'id', 'age', 'height', 'wealth', 'decade'])
  assert.equal(taken.count, 20)
  assert.deepEqual(
    [...taken.id],
    rows.flatMap(({ id }) => [...id]),
  )
  assert.deepEqual(
    [...taken.age],
    rows.map(({ age }) => age),
  )
  assert.deepEqual(
    [...taken.height],
    rows.map(({ height }) => height),
  )
  assert.deepEqual(
    [...taken.wealth],
    rows.map(({ wealth }) => wealth),
  )
  assert.deepEqual([...taken.decade], [...Array(10).fill(190), ...Array(10).fill(191)])
})

void test('columns: a column that lacks a row is noticed when they are taken', () => {
  const columns = table.growing(1, undefined)
  for (const row of rows.slice(0, 2)) table.append(columns, row)
  columns.height.push(1)
  assert.throws(() => table.taken(columns), /column height has as many rows as all/)
})
