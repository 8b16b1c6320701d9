import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { fromBigint } from '../../../core/bytes.ts'
import { statement } from '../../../store/engine/database.ts'
import { openStore } from '../../../store/open.ts'
import { address, addressByBytes } from '../../../store/schema/evm.ts'
import { Interner } from './intern.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-intern-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const open = (name: string) =>
  openStore({ store: 'embedded', dataDir: folder }, name, [address, addressByBytes], 'write')
const packed = (...numbers: number[]) =>
  Uint8Array.from(numbers.flatMap((number) => [...fromBigint(BigInt(number), 20)]))

void test('interner: numbers follow first sight, over batches and a cache that forgets', async () => {
  const store = await open('order')
  // Two generations of four: most of what comes must be found in the store again.
  const interner = new Interner(4)
  const seen = new Map<number, number>()
  let state = 7
  for (let batch = 0; batch < 60; batch++) {
    const numbers = new Set<number>()
    for (let draw = 0; draw < 5; draw++) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      numbers.add(state % 40)
    }
    const ids = await store.transaction((writer) => interner.ids(writer, packed(...numbers)))
    for (const [at, number] of [...numbers].entries()) {
      if (!seen.has(number)) seen.set(number, seen.size + 1)
      assert.equal(ids[at], seen.get(number), `batch ${batch}, address ${number}`)
    }
  }
  const rows = await store.all(statement('select id, bytes from address order by id'))
  assert.deepEqual(
    rows.map(([id, bytes]) => [bytes, id]),
    [...seen].map(([number, id]) => [fromBigint(BigInt(number), 20), id]),
  )
  await store.close()
})

void test('interner: a new one goes on where the store is', async () => {
  const store = await open('again')
  const idsOf = (...numbers: number[]) =>
    store.transaction((writer) => new Interner().ids(writer, packed(...numbers)))
  assert.deepEqual([...(await idsOf(9, 8))], [1, 2])
  assert.deepEqual([...(await idsOf(7, 8, 6))], [3, 2, 4])
  assert.deepEqual([...(await idsOf())], [])
  await store.close()
})

void test('interner: addresses that differ in one bit are different', async () => {
  const store = await open('bits')
  const all = new Uint8Array(161 * 20)
  for (let bit = 0; bit < 160; bit++) all[(bit + 1) * 20 + (bit >> 3)] = 1 << (bit & 7)
  const interner = new Interner()
  const read = () => store.transaction((writer) => interner.ids(writer, all))
  const first = await read()
  assert.equal(new Set(first).size, 161)
  assert.deepEqual(await read(), first)
  await store.close()
})
