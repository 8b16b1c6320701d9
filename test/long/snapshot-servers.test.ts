/**
 * `firn snapshot create` and `restore` from SQLite to PostgreSQL, to several servers and back, killed in
 * between: every table has the rows it had, by hashes of all values that the test computes itself.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables, messageTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import {
  demoChains,
  entry,
  freshFolder,
  indexedFolder,
  runFirn,
  startFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const stores: readonly (readonly [string, readonly Table[]])[] = [
  ['fuji-demo-chain', chainTables],
  ['fuji-demo-l1', chainTables],
  ['primary-fuji', primaryStoreTables],
  ['messages', messageTables],
]

async function digestsAt(location: StoreLocation): Promise<Record<string, unknown>> {
  const digests: Record<string, unknown> = {}
  for (const [name, tables] of stores) {
    const database = await openStore(location, name, tables, 'read')
    digests[name] = await storeDigest(database, tables)
    await database.close()
  }
  return digests
}

/** A configuration of the demo network whose stores lie at `store`, and whose folder is fresh. */
function configAt(base: string, name: string, store: string, more = ''): string {
  const demo = (file: string): string => new URL(`../../demo/${file}`, import.meta.url).pathname
  const path = join(base, `${name}.yaml`)
  writeFileSync(
    path,
    `store: '${store}'
${more}dataDir: ${join(base, name)}
networks: { fuji: { primary: true, recording: ${demo('primary-local.firnrec')} } }
chains:
  - { name: Demo Chain, recording: ${demo('chain-51001.firnrec')} }
  - { name: Demo L1, recording: ${demo('chain-51002.firnrec')} }
`,
  )
  return path
}

/** Namespaces of Firn in a database. */
async function namespacesIn(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const found = await client.query<{ name: string }>(
    "select nspname::text as name from pg_namespace where nspname like 'firn\\_%' order by 1",
  )
  await client.end()
  return found.rows.map(({ name }) => name)
}

/** Runs `firn snapshot restore` and kills it once `look` is true. */
async function killedOnce(words: readonly string[], look: () => Promise<boolean>): Promise<void> {
  const child = spawn(process.execPath, [entry, 'snapshot', 'restore', ...words], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await until('a copy', look)
  child.kill('SIGKILL')
  await exited
  assert.equal(child.signalCode, 'SIGKILL', 'it was still copying')
}

void test('snapshot: to PostgreSQL, killed on the way, to several servers and back: all rows and keys', async (t) => {
  const folder = await indexedFolder(t)
  const base = await freshFolder(t)
  assert.equal((await runFirn('keys', 'create', 'shop', '--data-dir', folder)).code, 0)
  const keys = await runFirn('keys', 'list', '--data-dir', folder)
  const before = await digestsAt({ store: 'embedded', dataDir: folder })
  const copies = join(base, 'copies')
  assert.equal((await runFirn('snapshot', 'create', copies, '--data-dir', folder)).code, 0)

  const one = await newDatabase()
  const onOne = configAt(base, 'one', one)
  const words = [copies, '--trust', '--config', onOne]
  const copiesIn = async (): Promise<string[]> =>
    (await namespacesIn(one)).filter((name) => name.endsWith('_restoring'))
  for (const count of [1, 3]) {
    await killedOnce(words, async () => (await copiesIn()).length >= count)
    assert.deepEqual(await namespacesIn(one), await copiesIn(), 'no store has its name')
  }
  const early = await runFirn('start', '--config', onOne, '--port', '0', '--node-port', '0')
  assert.equal(early.code, 3, early.stderr)
  const restored = await runFirn('snapshot', 'restore', ...words)
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual(await copiesIn(), [])
  assert.deepEqual(await digestsAt({ store: one, dataDir: '' }), before)
  assert.equal((await runFirn('keys', 'list', '--config', onOne)).stdout, keys.stdout)
  const verified = await runFirn('verify', '--store', '--config', onOne)
  assert.equal(verified.code, 0, verified.stdout)

  // From there to two servers. One of them has the store: nothing is left at the other one either.
  const again = join(base, 'again')
  assert.equal((await runFirn('snapshot', 'create', again, '--config', onOne)).code, 0)
  const [main, second] = [await newDatabase(), await newDatabase()]
  const onTwo = configAt(base, 'two', main, `stores: { 'fuji-*': '${second}' }\n`)
  const client = new pg.Client({ connectionString: second })
  await client.connect()
  await client.query('create schema firn_fuji_demo_l1')
  const refused = await runFirn('snapshot', 'restore', again, '--trust', '--config', onTwo)
  assert.equal(refused.code, 4, refused.stderr)
  assert.match(refused.stderr, /^firn: PostgreSQL has a store of this name, .*: fuji-demo-l1\n$/)
  assert.deepEqual(await namespacesIn(main), [])
  await client.query('drop schema firn_fuji_demo_l1')
  await client.end()
  const spread = await runFirn('snapshot', 'restore', again, '--trust', '--config', onTwo)
  assert.equal(spread.code, 0, spread.stderr)
  const places = [{ pattern: 'fuji-*', url: second }]
  assert.deepEqual(await digestsAt({ store: main, stores: places, dataDir: '' }), before)

  // Home again, where a Firn begins with it.
  const back = join(base, 'back')
  assert.equal((await runFirn('snapshot', 'create', back, '--config', onTwo)).code, 0)
  const home = join(base, 'home')
  const returned = await runFirn('snapshot', 'restore', back, '--trust', '--data-dir', home)
  assert.equal(returned.code, 0, returned.stderr)
  assert.deepEqual(await digestsAt({ store: 'embedded', dataDir: home }), before)
  assert.deepEqual(
    readFileSync(join(home, 'page-token.key')),
    readFileSync(join(folder, 'page-token.key')),
  )
  const firn = await startFirn(t, ['--data-dir', home])
  await until('all chains', async () => (await chainStatuses(firn)).size === demoChains.length)
  assert.equal(await firn.end(), 0)
})

void test('snapshot: a server that does not take it is one sentence, and nothing is left', async (t) => {
  const folder = await indexedFolder(t)
  const base = await freshFolder(t)
  const copies = join(base, 'copies')
  assert.equal((await runFirn('snapshot', 'create', copies, '--data-dir', folder)).code, 0)
  const absent = new URL(await newDatabase())
  absent.pathname = '/absent'
  const cases = [
    ['none', 'postgres://firn:secret@127.0.0.1:1/firn', /^firn: store on PostgreSQL: [^\n]+\n$/],
    ['absent', absent.href, /^firn: store on PostgreSQL: [^\n]*"absent"[^\n]*\n$/],
  ] as const
  for (const [name, url, sentence] of cases) {
    const ended = await runFirn(
      'snapshot',
      'restore',
      copies,
      '--config',
      configAt(base, name, url),
    )
    assert.equal(ended.code, 1, ended.stderr)
    assert.match(ended.stderr, sentence)
    assert.doesNotMatch(ended.stderr, /secret/)
  }
})
