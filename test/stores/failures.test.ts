import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'

import pg from 'pg'

import { Fault } from '../../src/core/fault.ts'
import { type Database, statement, type Writer } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { openPostgresReader, openPostgresWriter } from '../../src/store/postgres/postgres.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { table } from '../../src/store/schema/table.ts'
import { sqliteFault } from '../../src/store/sqlite/connection.ts'
import { type SilentRelay, silentRelay } from '../support/nodes/silent-relay.ts'
import { startPostgres } from '../support/stores/postgres.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

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

void test('sqlite: a file that its writer has just made is no store yet', async () => {
  const place = { store: 'embedded', dataDir: folder }
  writeFileSync(join(folder, 'begun.sqlite'), '')
  await assert.rejects(openStore(place, 'begun', [rows], 'read'), code('store-failed'))
  await (await openStore(place, 'begun', [rows], 'write')).close()
  await (await openStore(place, 'begun', [rows], 'read')).close()
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
    assert.equal(await database.claim(1), true)
    const broken = database.transaction(async (writer) => {
      await writer.insert(rows, { id: [2], raw: [new Uint8Array(3)] })
      await server.crash()
      await writer.insert(rows, { id: [3], raw: [new Uint8Array(3)] })
    })
    await assert.rejects(broken, code('store-failed'))
    await insert(4)
    assert.deepEqual(await reader.get(count), [2])
    const other = await openStore(location, 'restart', [rows], 'write')
    assert.equal(await other.claim(1), false, 'marked again with its new connection')
    assert.equal(await database.claim(1), true)
    await database.close()
    assert.equal(await other.claim(1), true)
    await other.close()
    await reader.close()
  } finally {
    await server.stop()
  }
})

/** Limits that a test can wait for; each is far above what the server takes when it answers. */
const shortLimits = {
  tables: [rows],
  connectTimeoutMs: 1_500,
  readTimeoutMs: 1_500,
  writeTimeoutMs: 1_500,
  idleInTransactionMs: 3_000,
} as const

/** Far below what a wait without a limit would take, far above the limits together. */
const patience = { timeout: 30_000 }

async function behindRelay(check: (relay: SilentRelay, url: string) => Promise<void>) {
  const own = new URL(await newDatabase())
  const relay = await silentRelay(Number(own.port))
  own.port = String(relay.port)
  try {
    await check(relay, own.href)
  } finally {
    await relay.close()
  }
}

void test(
  'postgres: a server that goes silent fails what is under way, then all goes on',
  patience,
  () =>
    behindRelay(async (relay, url) => {
      const options = { ...shortLimits, name: 'silent', url }
      const database = await openPostgresWriter(options)
      const insert = (id: number) =>
        database.transaction((writer) =>
          writer.insert(rows, { id: [id], raw: [new Uint8Array(3)] }),
        )
      await insert(1)
      const broken = database.transaction(async (writer) => {
        await writer.update(rows, { id: [1], raw: [new Uint8Array(4)] })
        relay.silence()
        await writer.insert(rows, { id: [2], raw: [new Uint8Array(3)] })
      })
      await assert.rejects(broken, code('store-failed'))
      await assert.rejects(insert(3), code('store-failed'), 'still silent')
      relay.recover()
      await insert(4)
      assert.deepEqual(await database.get(count), [2])
      await database.close()
    }),
)

void test('postgres: a transaction that was silent for too long gets longer for the next try', async (t) => {
  const options = { ...shortLimits, name: 'busy', url: await newDatabase() }
  const database = await openPostgresWriter({ ...options, idleInTransactionMs: 1_000 })
  t.after(() => database.close())
  const slowly = (id: number) =>
    database.transaction(async (writer) => {
      await writer.insert(rows, { id: [id], raw: [new Uint8Array(3)] })
      await database.get(statement('', { postgres: 'select pg_sleep(1.2)' }))
      await writer.get(count)
    })
  await assert.rejects(slowly(1), { code: 'store-failed', message: /idle-in-transaction timeout/ })
  await slowly(2)
  await assert.rejects(slowly(3), code('store-failed'), 'as before once one went well')
  await slowly(4)
  assert.deepEqual(await database.get(count), [2])
})

void test('postgres: a transaction cut off gives its locks back', patience, () =>
  behindRelay(async (relay, url) => {
    const options = { ...shortLimits, name: 'locks', url }
    const first = await openPostgresWriter(options)
    const set = (writer: Writer, value: number) =>
      writer.upsert(rows, { id: [1], raw: [Uint8Array.of(value)] })
    await first.transaction((writer) => set(writer, 1))
    const cut = first.transaction(async (writer) => {
      await set(writer, 2)
      relay.silence()
      await writer.get(count)
    })
    await assert.rejects(cut, code('store-failed'))
    relay.recover()
    const second = await openPostgresWriter({ ...options, writeTimeoutMs: 20_000 })
    await second.transaction((writer) => set(writer, 3))
    await second.close()
    await first.close()
  }),
)

void test('postgres: readers of a silent server fail, then read on', patience, () =>
  behindRelay(async (relay, url) => {
    const options = { ...shortLimits, name: 'readers', url }
    const writer = await openPostgresWriter(options)
    const reader = await openPostgresReader({ ...options, connections: { read: 2, write: 1 } })
    const ask = () => reader.get(count)
    assert.deepEqual(await Promise.all([ask(), ask()]), [[0], [0]])
    relay.silence()
    // Two wait for an answer, the third for a connection.
    for (const outcome of await Promise.allSettled([ask(), ask(), ask()]))
      assert.ok(
        outcome.status === 'rejected' && code('store-failed')(outcome.reason),
        outcome.status,
      )
    relay.recover()
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [[0], [0], [0]])
    await reader.close()
    await writer.close()
  }),
)

void test('postgres: a store whose server went silent can be closed', patience, () =>
  behindRelay(async (relay, url) => {
    const database = await openPostgresWriter({ ...shortLimits, name: 'closing', url })
    assert.deepEqual(await database.get(count), [0])
    relay.silence()
    await database.close()
  }),
)

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

void test('postgres: a refusal of the server is one sentence with the remedy, and nothing is changed', async () => {
  const url = await newDatabase()
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create role "${name}_plain" login`)
  await admin.query(`create role "${name}_full" login connection limit 0`)
  await admin.query(`create role "${name}_reader" login`)
  await admin.query(`grant create on database "${name}" to "${name}_reader", "${name}_full"`)
  await admin.query(`alter role "${name}_reader" set default_transaction_read_only = on`)
  const refusals: readonly [string, RegExp][] = [
    ['plain', /permission denied.*; grant the user of the setting `store` the right to create/],
    ['full', /too many connections.*; raise max_connections .* lower .*`postgres.connections`$/],
    ['reader', /read-only transaction; the setting `store` must name the primary/],
    ['absent', /does not exist; mend user, password or database of the setting `store`$/],
  ]
  for (const [user, words] of refusals) {
    const of = new URL(url)
    of.username = `${name}_${user}`
    const location = { store: of.href, dataDir: '' }
    await assert.rejects(openStore(location, 'refused', [rows], 'write'), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'store-failed')
      assert.match(error.message, words)
      assert.doesNotMatch(error.message, /\n/)
      return true
    })
  }
  const made = await admin.query("select 1 from pg_namespace where nspname = 'firn_refused'")
  assert.equal(made.rows.length, 0)
  await admin.end()
})

void test('postgres: a locked table is named within seconds, and other stores of the process go on', async () => {
  const url = await newDatabase()
  const location = { store: url, dataDir: '', connections: { read: 2, write: 2 } }
  const open = (name: string) => openStore(location, name, [rows], 'write')
  const [one, two, free] = [await open('locked-one'), await open('locked-two'), await open('free')]
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('begin; lock table firn_locked_one.rows, firn_locked_two.rows')
  const add = (database: Database, id: number): Promise<void> =>
    database.transaction(async (writer) => {
      await writer.insert(rows, { id: [id], raw: [new Uint8Array()] })
    })
  const waiting = [one, two].map((database) =>
    assert.rejects(add(database, 1), (error) => {
      assert.ok(error instanceof Fault && error.retryable)
      return /^store locked-(one|two): .*lock timeout; another session has a lock on rows; /.test(
        error.message,
      )
    }),
  )
  // It has its turn once one of both gave its connection back.
  await add(free, 1)
  await Promise.all(waiting)
  await other.query('rollback')
  await add(one, 1)
  await other.end()
  for (const database of [one, two, free]) await database.close()
})

void test(
  'postgres: a store that is being written is opened by another process at once',
  patience,
  async () => {
    const url = await newDatabase()
    const open = (): Promise<Database> =>
      openStore({ store: url, dataDir: '' }, 'written', chainTables, 'write')
    const first = await open()
    const writing = new pg.Client({ connectionString: url })
    await writing.connect()
    const names = chainTables.map(({ name }) => `firn_written.${name}`)
    await writing.query(`begin; lock table ${names.join(', ')} in row exclusive mode`)
    const second = await open()
    await writing.end()
    for (const database of [first, second]) await database.close()
  },
)
