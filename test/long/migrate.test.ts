/**
 * `firn migrate` from SQLite to PostgreSQL and back, killed in between: every table has the rows it
 * had, by hashes of all values that the test computes itself.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import type { Table } from '../../src/store/engine/table.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables, messageTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import {
  demoChains,
  entry,
  freshFolder,
  indexedFolder,
  runFirn,
  startFirn,
  toldChains,
  twoChains,
  until,
} from '../firn-process.ts'
import { newDatabase } from '../shared-postgres.ts'
import { storeDigest } from '../store-digest.ts'

const stores: readonly (readonly [string, readonly Table[]])[] = [
  ['fuji-demo-chain', chainTables],
  ['fuji-demo-l1', chainTables],
  ['primary-fuji', primaryStoreTables],
  ['messages', messageTables],
]

void test('migrate: killed on the way to PostgreSQL and back, all rows and keys are those of before', async (t) => {
  const folder = await indexedFolder(t)
  const made = await runFirn('keys', 'create', 'shop', '--data-dir', folder)
  assert.equal(made.code, 0, made.stderr)
  const tokenKey = readFileSync(join(folder, 'page-token.key'))
  const keys = await keysAt({ folder })
  const before = await digestsAt({ store: 'embedded', dataDir: folder })
  const files = hashesOf(folder)
  const store = await newDatabase()
  const database = new pg.Client({ connectionString: store })
  await database.connect()
  t.after(() => database.end())

  const there = ['--to', store, '--data-dir', folder]
  let kept = ''
  for (const copies of [1, 3]) {
    await killedOnce(there, async () => (await copiesIn(database)).size >= copies)
    const found = await copiesIn(database)
    const first = found.get('firn_fuji_demo_chain_migrating')
    assert.ok(first !== undefined, 'the first copy is there')
    if (kept !== '') assert.equal(first, kept, 'a copy that was begun is gone on with')
    kept = first
    assert.equal(await hasNamespace(database, 'firn_fuji_demo_chain'), false)
  }
  const refused = await runAt(store, folder, 'start', '--port', '0', '--node-port', '0')
  assert.equal(refused.code, 3, refused.stderr)
  assert.match(refused.stderr, /^firn: a migration into these stores is not finished: .+$/m)
  const done = await runFirn('migrate', ...there)
  assert.equal(done.code, 0, done.stderr)
  for (const [name] of stores)
    assert.match(done.stdout, new RegExp(`^${name}: \\d+ rows copied, both are equal$`, 'm'))
  assert.deepEqual(await digestsAt({ store, dataDir: '' }), before)
  assert.deepEqual([...(await copiesIn(database)).keys()], [])
  assert.deepEqual(hashesOf(folder), files, 'the files it came from are as they were')

  // Another host serves what was migrated.
  const host = await freshFolder(t)
  assert.equal(await keysAt({ folder: host, store }), keys)
  const verified = await runAt(store, host, 'verify', '--store')
  assert.equal(verified.code, 0, verified.stdout)
  const again = await runFirn('migrate', ...there)
  assert.equal(again.code, 4)
  assert.match(again.stderr, /^firn: the target has a store of this name, [^\n]+\n$/)

  const home = await freshFolder(t)
  const back = ['migrate', '--to', 'embedded']
  const half = (): boolean => readdirSync(home).some((name) => name.endsWith('-migrating.sqlite'))
  await killedOnce(back.slice(1), half, { store, folder: home })
  assert.ok(existsSync(join(home, 'migration.sqlite')))
  assert.equal((await runFirn('start', '--data-dir', home, '--port', '0')).code, 3)
  const returned = await runAt(store, home, ...back)
  assert.equal(returned.code, 0, returned.stderr)
  assert.deepEqual(await digestsAt({ store: 'embedded', dataDir: home }), before)
  assert.equal(await keysAt({ folder: home }), keys)
  assert.deepEqual(readFileSync(join(home, 'page-token.key')), tokenKey)
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes('migrat')),
    [],
  )
  const firn = await startFirn(t, ['--data-dir', home])
  // They are told of when their threads have opened them.
  await until('all chains', async () => (await toldChains(firn)).size === demoChains.length)
  assert.equal(await firn.end(), 0)
})

void test('migrate: what cannot be is one sentence, and changes nothing', async (t) => {
  const folder = await indexedFolder(t)
  const files = hashesOf(folder)
  const store = await newDatabase()
  const database = new pg.Client({ connectionString: store })
  await database.connect()
  const { rows } = await database.query<{ name: string }>('select current_database() as name')
  const name = rows[0]?.name ?? ''
  await database.query(`create role "${name}_reader" login`)
  t.after(async () => {
    await database.query(`drop owned by "${name}_reader"`)
    await database.query(`drop role "${name}_reader"`)
    await database.end()
  })
  const asReader = new URL(store)
  asReader.username = `${name}_reader`
  const absent = new URL(store)
  absent.pathname = '/absent'

  const cases: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    [
      'no server',
      ['--to', 'postgres://firn:secret@127.0.0.1:1/firn'],
      1,
      /no PostgreSQL to migrate/,
    ],
    ['no such database', ['--to', absent.href], 1, /no PostgreSQL to migrate.*"absent"/],
    ['a missing right', ['--to', asReader.href], 1, /permission denied/],
    ['another scheme', ['--to', 'mysql://firn@127.0.0.1/firn'], 2, /--to must be embedded, or/],
    ['where it is', ['--to', 'embedded'], 2, /the stores are there already/],
  ]
  for (const [title, words, code, sentence] of cases) {
    const ended = await runFirn('migrate', ...words, '--data-dir', folder)
    assert.equal(ended.code, code, `${title}: ${ended.stderr}`)
    assert.match(ended.stderr, sentence, title)
    assert.match(ended.stderr, /^firn: [^\n]+\n$/, title)
    assert.doesNotMatch(ended.stderr, /secret/, title)
  }
  await database.query(`alter role "${name}_reader" set default_transaction_read_only = on`)
  await database.query(`grant create on database "${name}" to "${name}_reader"`)
  const readOnly = await runFirn('migrate', '--to', asReader.href, '--data-dir', folder)
  assert.equal(readOnly.code, 1)
  assert.match(readOnly.stderr, /^firn: [^\n]*read-only transaction[^\n]*\n$/)
  const empty = await runFirn('migrate', '--to', store, '--data-dir', await freshFolder(t))
  assert.equal(empty.code, 1)
  assert.match(empty.stderr, /^firn: nothing to migrate here: [^\n]+\n$/)

  await database.query('create schema firn_migration')
  await database.query('create table firn_migration.firn_format (version bigint not null)')
  await database.query('insert into firn_migration.firn_format values (1000)')
  const newer = await runFirn('migrate', '--to', store, '--data-dir', folder)
  assert.equal(newer.code, 5)
  assert.match(newer.stderr, /^firn: store migration has a format newer than [^\n]+\n$/)
  await database.query('drop schema firn_migration cascade')

  await database.query('create schema firn_messages')
  const foreign = await runFirn('migrate', '--to', store, '--data-dir', folder)
  assert.equal(foreign.code, 4)
  assert.match(foreign.stderr, /^firn: the target has a store of this name, [^\n]+: messages\n$/)
  assert.equal(await hasNamespace(database, 'firn_migration'), false)
  await database.query('drop schema firn_messages')
  assert.deepEqual([...(await copiesIn(database)).keys()], [])
  assert.deepEqual(hashesOf(folder), files)

  const firn = await startFirn(t, ['--data-dir', folder])
  const running = await runFirn('migrate', '--to', store, '--data-dir', folder)
  assert.equal(running.code, 3, running.stderr)
  assert.match(running.stderr, /^firn: another Firn writes this data; [^\n]+\n$/)
  assert.equal(await firn.end(), 0)

  // One that was begun can be taken away.
  await killedOnce(['--to', store, '--data-dir', folder], async () => {
    return (await copiesIn(database)).size > 0
  })
  const words = ['migrate', '--to', store, '--data-dir', folder]
  const abandoned = await runFirn(...words, '--abandon')
  assert.equal(abandoned.code, 0, abandoned.stderr)
  assert.deepEqual([...(await copiesIn(database)).keys()], [])
  assert.equal(await hasNamespace(database, 'firn_migration'), false)
})

/** Runs `firn migrate` and kills it once `look` is true, while it copies. */
async function killedOnce(
  words: readonly string[],
  look: () => boolean | Promise<boolean>,
  at?: { readonly store: string; readonly folder: string },
): Promise<void> {
  const places = at === undefined ? [] : ['--config', await configAt(at.store, at.folder)]
  const child = spawn(process.execPath, [entry, 'migrate', ...words, ...places], {
    stdio: 'ignore',
    env: twoChains(),
  })
  const exited = once(child, 'exit')
  await until('a copy', look)
  child.kill('SIGKILL')
  await exited
  assert.equal(child.signalCode, 'SIGKILL', 'it was still copying')
}

/** Namespaces of copies with what tells one from another that was made later. */
async function copiesIn(database: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ name: string; oid: string }>(
    "select nspname as name, oid::text from pg_namespace where nspname like '%\\_migrating'",
  )
  return new Map(rows.map(({ name, oid }) => [name, oid]))
}

async function hasNamespace(database: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await database.query('select 1 from pg_namespace where nspname = $1', [name])
  return rowCount === 1
}

async function digestsAt(location: StoreLocation): Promise<Record<string, unknown>> {
  const digests: Record<string, unknown> = {}
  for (const [name, tables] of stores) {
    const database = await openStore(location, name, tables, 'read')
    digests[name] = await storeDigest(database, tables)
    await database.close()
  }
  return digests
}

/** Hashes of the files that a data folder keeps, by name. */
function hashesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => /\.(sqlite|key|json)$/.test(name))
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  )
}

/** Output of `firn keys list`. */
async function keysAt(at: { readonly folder: string; readonly store?: string }): Promise<string> {
  const listed =
    at.store === undefined
      ? await runFirn('keys', 'list', '--data-dir', at.folder)
      : await runAt(at.store, at.folder, 'keys', 'list')
  assert.equal(listed.code, 0, listed.stderr)
  return listed.stdout
}

/** Runs a command over the demo network whose stores lie on PostgreSQL. */
async function runAt(
  store: string,
  folder: string,
  ...words: readonly string[]
): ReturnType<typeof runFirn> {
  return runFirn(...words, '--config', await configAt(store, folder))
}

async function configAt(store: string, folder: string): Promise<string> {
  const demo = (name: string): string => new URL(`../../demo/${name}`, import.meta.url).pathname
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'firn.yaml')
  await writeFile(
    path,
    `store: '${store}'
dataDir: ${folder}
networks: { fuji: { primary: true, recording: ${demo('primary-local.firnrec')} } }
chains:
  - { name: Demo Chain, recording: ${demo('chain-51001.firnrec')} }
  - { name: Demo L1, recording: ${demo('chain-51002.firnrec')} }
`,
  )
  return path
}
