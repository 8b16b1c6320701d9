import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { storeDigest } from '../../../test/support/stores/store-digest.ts'
import { Fault } from '../../core/fault.ts'
import { type Database, statement } from '../engine/database.ts'
import { openCopy } from '../open.ts'
import { table } from '../schema/table.ts'
import { copyStore, presentTables } from './copy-store.ts'

const many = table(
  'many',
  { a: 'text', b: 'integer', amount: 'amount?', body: 'bytes?', words: 'text?' },
  { key: ['a', 'b'], layout: 'keyed' },
)
const single = table('single', { id: 'integer', body: 'bytes' }, { key: ['id'], layout: 'rows' })
const tables = [many, single] as const
const names = ['', 'a', 'b', 'ä', 'a\u{1f600}', 'a\uffff', 'Z', 'a\u0000b']

async function filled(t: TestContext): Promise<(name: string) => Promise<Database>> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-copy-'))
  const opened: Database[] = []
  t.after(async () => {
    for (const each of opened) await each.close()
    rmSync(folder, { recursive: true })
  })
  const open = async (name: string): Promise<Database> => {
    const database = await openCopy({ store: 'embedded', dataDir: folder }, name, tables)
    opened.push(database)
    return database
  }
  const source = await open('source')
  const rows = names.flatMap((a) => [-1, 0, 1, 2 ** 52, 7].map((b) => ({ a, b })))
  await source.transaction(async (writer) => {
    await writer.insert(many, {
      a: rows.map(({ a }) => a),
      b: rows.map(({ b }) => b),
      amount: rows.map((_, at) => (at % 3 === 0 ? null : 2n ** 63n - BigInt(at + 1))),
      body: rows.map((_, at) => (at % 2 === 0 ? null : Uint8Array.of(0, 255, at))),
      words: rows.map(({ a }, at) => (at % 5 === 0 ? null : a)),
    })
    // The first reading takes 256 rows: the second begins after a key.
    await writer.insert(single, {
      id: Array.from({ length: 500 }, (_, at) => at * 3),
      body: Array.from({ length: 500 }, (_, at) => new Uint8Array(at % 70_000)),
    })
  })
  return open
}

void test('copy: an attempt that fails at any write is gone on with, and all values are equal', async (t) => {
  const open = await filled(t)
  const source = await open('source')
  const expected = await storeDigest(source, tables)
  let writes = 0
  for (let failing = 1; ; failing++) {
    const target = await open(`target-${failing}`)
    let done = 0
    const breaking: Database = {
      ...methodsOf(target),
      transaction: (work) => {
        if (++done === failing) throw new Fault('store-full', 'no room')
        return target.transaction(work)
      },
    }
    const copy = { from: source, to: breaking, tables }
    const first = copyStore('source', copy, () => undefined)
    if (done < failing && (await first.then(Boolean, () => false))) break
    await assert.rejects(first, { code: 'store-full' })
    const counts = { copied: 0, compared: 0 }
    const { rows } = await copyStore('source', { ...copy, to: target }, (work, count) => {
      counts[work] += count
    })
    assert.equal(rows, names.length * 5 + 500)
    assert.equal(counts.compared, rows)
    assert.ok(failing === 1 ? counts.copied === rows : counts.copied < rows, 'it goes on')
    assert.deepEqual(await storeDigest(target, tables), expected)
    writes++
  }
  assert.ok(writes >= 3, `${writes} writes`)
})

void test('copy: one that differs in a value is named, and so is a source of another version', async (t) => {
  const open = await filled(t)
  const [source, target] = [await open('source'), await open('target')]
  const copy = { from: source, to: target, tables }
  await copyStore('source', copy, () => undefined)
  await target.transaction((writer) =>
    writer.run(statement("update many set words = 'b' where a = 'a' and b = 1")),
  )
  await assert.rejects(
    copyStore('source', copy, () => undefined),
    /the copy of store source differs from it, .*: table many/,
  )
  const present = await presentTables(source, [
    ...tables,
    table('later', single.columns, { ...single }),
  ])
  assert.deepEqual(present, tables, 'a table that came later has no rows yet')
})

/** A database as an object of its own, with methods that may be replaced. */
function methodsOf(database: Database): Database {
  const { engine, name, all, get, lookup, transaction } = database
  const { snapshot, claim, unclaim, pace, sizeBytes, close } = database
  const methods = { all, get, lookup, transaction, snapshot, claim, unclaim, pace }
  return { engine, name, ...methods, sizeBytes, close, [Symbol.asyncDispose]: close }
}
