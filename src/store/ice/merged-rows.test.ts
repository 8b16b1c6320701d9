import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'
import type { FrozenShape } from './frozen-shape.ts'
import { mergedRows } from './merged-rows.ts'
import { SegmentWriter } from './segment-writer.ts'
import { type FrozenTable, Segment } from './segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-merge-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const list: FrozenShape = {
  name: 'list',
  columns: ['address_id', 'height', 'note'],
  forms: ['integer', 'integer', 'bytes'],
  keyLength: 2,
}

/** Rows of `addresses` at heights `[from, until)`: the list of each is in order of history. */
function rowsOf(addresses: number, from: number, until: number): Row[] {
  const rows: Row[] = []
  for (let address = 0; address < addresses; address++)
    for (let height = from; height < until; height++)
      if ((height * 7 + address * 3) % 5 < 2)
        rows.push([address, height, address % 2 === 0 ? null : Uint8Array.of(height % 256)])
  return rows
}

async function tableOf(from: number, until: number, rows: readonly Row[]): Promise<FrozenTable> {
  const writer = new SegmentWriter(join(folder, 'one.draft'))
  await writer.table(list, async (add) => add(rows))
  const hashes = { store: 's', genesisHash: '', parentHash: '', lastHash: '', firn: 'test' }
  const { name } = writer.finish({ ...hashes, from, until })
  const table = new Segment(join(folder, `${name}.ice`)).table('list')
  assert.ok(table !== undefined)
  return table
}

void test('merged rows: those of all segments, in order of their key, some at once', async () => {
  const tables = [
    await tableOf(0, 40, rowsOf(90, 0, 40)),
    await tableOf(40, 41, []),
    await tableOf(41, 300, rowsOf(90, 41, 300)),
    await tableOf(300, 310, rowsOf(120, 300, 310)),
  ]
  const expected = [...rowsOf(90, 0, 40), ...rowsOf(90, 41, 300), ...rowsOf(120, 300, 310)]
  expected.sort(
    (one, other) => Number(one[0]) - Number(other[0]) || Number(one[1]) - Number(other[1]),
  )
  const chunks = [...mergedRows(tables, 100)]
  assert.deepEqual(chunks.flat(), expected)
  assert.ok(chunks.slice(0, -1).every((rows) => rows.length === 100))
  assert.deepEqual([...mergedRows(tables.slice(1, 2), 100)], [])
})

void test('segment writer: a full disk is store-full, and the file is taken away', async () => {
  const draft = join(folder, 'full.draft')
  // A device that is always full.
  symlinkSync('/dev/full', draft)
  const writer = new SegmentWriter(draft)
  const rows = Array.from({ length: 5_000 }, (_, at): Row => [at, at, new Uint8Array(400)])
  await assert.rejects(
    writer.table(list, async (add) => add(rows)),
    (fault) => fault instanceof Fault && fault.code === 'store-full',
  )
  writer.abandon()
  assert.ok(!readdirSync(folder).includes('full.draft'))
})
