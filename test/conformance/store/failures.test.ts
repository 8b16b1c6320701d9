import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'

import { Fault } from '../../../src/core/fault.ts'
import { statement } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/engine/open.ts'
import { sqliteFault } from '../../../src/store/engine/sqlite-connection.ts'
import { table } from '../../../src/store/engine/table.ts'
import { startPostgres } from '../../postgres.ts'

const rows = table('rows', { id: 'integer', raw: 'bytes' }, { key: ['id'], layout: 'rows' })
const count = statement('select count(*) from rows')
const code = (wanted: string) => (error: unknown) => error instanceof Fault && error.code === wanted

const folder = mkdtempSync(join(tmpdir(), 'firn-failures-'))
after(() => rmSync(folder, { recursive: true, force: true }))

void test('sqlite: a file that is no store is refused and left as it is', async () => {
  const path = join(folder, 'text.sqlite')
  writeFileSync(path, 'not a database at all, but long enough to be looked at as one'.repeat(20))
  const location = { store: 'embedded', dataDir: folder }
  await assert.rejects(openStore(location, 'text', [rows], 'write'), code('store-failed'))
})

void test("sqlite: another program's database is refused", async () => {
  const other = new DatabaseSync(join(folder, 'other.sqlite'))
  other.exec('create table t (a)')
  other.close()
  const location = { store: 'embedded', dataDir: folder }
  for (const mode of ['write', 'read'] as const)
    await assert.rejects(openStore(location, 'other', [rows], mode), Fault, mode)
})

void test('store: names and locations of another form are refused', async () => {
  const embedded = { store: 'embedded', dataDir: folder }
  for (const name of ['', 'A', '../x', 'a b', 'x'.repeat(49)])
    await assert.rejects(openStore(embedded, name, [rows], 'write'), code('bad-config'), name)
  const mysql = { store: 'mysql://h/d', dataDir: folder }
  await assert.rejects(openStore(mysql, 'a', [rows], 'write'), code('bad-config'))
})

void test('sqlite: a refused write is a fault, what was committed stays, and writing goes on after', () => {
  // The limit on file sizes stands for the disk: it needs a process of its own. (SQLite tells it
  // from a full disk by its error number, so the code is the general one.)
  const script = join(import.meta.dirname, 'full-disk.ts')
  const output = execFileSync(
    'sh',
    [
      '-c',
      `trap '' XFSZ; ulimit -S -f 4096; exec "$0" "$1" "$2"`,
      process.execPath,
      script,
      folder,
    ],
    { encoding: 'utf8' },
  )
  assert.deepEqual(JSON.parse(output), { code: 'store-failed', sameAsBefore: true, wentOn: true })
})

void test('sqlite: a full store is store-full', () => {
  const database = new DatabaseSync(join(folder, 'small.sqlite'))
  database.exec('pragma max_page_count = 4; create table t (a)')
  const fill = (): void => database.exec('insert into t values (zeroblob(100000))')
  assert.throws(fill, (error) => sqliteFault('small', error).code === 'store-full')
  database.close()
})

void test('postgres: a server that restarts is a retryable fault, then all goes on', async () => {
  const server = await startPostgres()
  try {
    const location = { store: server.url, dataDir: '' }
    const database = await openStore(location, 'restart', [rows], 'write')
    const reader = await openStore(location, 'restart', [rows], 'read')
    const insert = (id: number) =>
      database.transaction((writer) => writer.insert(rows, { id: [id], raw: [new Uint8Array(3)] }))
    await insert(1)
    assert.equal(await database.claim(), true)
    const broken = database.transaction(async (writer) => {
      await writer.insert(rows, { id: [2], raw: [new Uint8Array(3)] })
      await server.crash()
      await writer.insert(rows, { id: [3], raw: [new Uint8Array(3)] })
    })
    await assert.rejects(broken, code('store-failed'))
    await insert(4)
    assert.deepEqual(await reader.get(count), [2])
    assert.equal(await database.claim(), true, 'claimed anew')
    await database.close()
    await reader.close()
  } finally {
    await server.stop()
  }
})

void test('postgres: a server that is not there is a fault within the time given', async () => {
  const location = { store: 'postgres://firn@127.0.0.1:1/firn', dataDir: '' }
  await assert.rejects(openStore(location, 'nobody', [rows], 'write'), code('store-failed'))
  await assert.rejects(openStore(location, 'nobody', [rows], 'read'), code('store-failed'))
})

void test('postgres: the binaries of npm serve where the system has none', async () => {
  const server = await startPostgres('npm')
  try {
    const database = await openStore({ store: server.url, dataDir: '' }, 'npm', [rows], 'write')
    await database.transaction((writer) =>
      writer.insert(rows, { id: [1], raw: [new Uint8Array(3)] }),
    )
    assert.deepEqual(await database.get(count), [1])
    await database.close()
  } finally {
    await server.stop()
  }
})
