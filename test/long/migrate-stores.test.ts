/** `firn migrate` to and from several servers: settings `stores` of the configurations it is given. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { openTargets } from '../../src/cli/stores/migrated-targets.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables, messageTables } from '../../src/store/schema/stores.ts'
import { freshFolder, indexedFolder, runFirn } from '../firn-process.ts'
import { newDatabase } from '../shared-postgres.ts'
import { storeDigest } from '../store-digest.ts'

const chain = 'fuji-demo-l1'
const recording = new URL('../../demo/chain-51002.firnrec', import.meta.url).pathname

/** Digests of the rows that belong to a chain and to the whole deployment. */
async function digestsAt(location: StoreLocation): Promise<Record<string, unknown>> {
  const digests: Record<string, unknown> = {}
  for (const [name, tables] of [
    [chain, chainTables],
    ['messages', messageTables],
  ] as const) {
    const database = await openStore(location, name, tables, 'read')
    digests[name] = await storeDigest(database, tables)
    await database.close()
  }
  return digests
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

const ofChain = 'firn_fuji_demo_l1'
const ofAll = ['firn_deployment', 'firn_messages', 'firn_nft_requests', 'firn_webhooks']

void test('migrate: to several servers, from one to another, and together again', async (t) => {
  const folder = await indexedFolder(t)
  assert.equal((await runFirn('keys', 'create', 'shop', '--data-dir', folder)).code, 0)
  const [main, second, third, together] = [
    await newDatabase(),
    await newDatabase(),
    await newDatabase(),
    await newDatabase(),
  ]
  const written = async (name: string, store: string, more: string): Promise<string> => {
    const path = join(folder, `${name}.yaml`)
    const chains = `chains: [{ name: Demo L1, recording: ${recording} }]`
    await writeFile(path, `store: '${store}'\n${more}dataDir: ${folder}\n${chains}\n`)
    return path
  }
  const from = await written('files', 'embedded', '')
  const two = await written('two', main, `stores: { 'fuji-*': '${second}' }\n`)
  const moved = await written('moved', main, `stores: { '${chain}': '${third}' }\n`)
  const before = await digestsAt({ store: 'embedded', dataDir: folder })
  const places = { store: main, stores: [{ pattern: 'fuji-*', url: second }], dataDir: '' }

  // One of its places is taken: nothing is left at the other one either.
  const client = new pg.Client({ connectionString: second })
  await client.connect()
  await client.query(`create schema ${ofChain}`)
  const refused = await runFirn('migrate', '--config', from, '--to', two)
  assert.equal(refused.code, 4, refused.stderr)
  assert.match(refused.stderr, /^firn: the target has a store of this name, .*: fuji-demo-l1\n$/)
  assert.deepEqual(await namespacesIn(main), [])
  assert.deepEqual(await namespacesIn(second), [ofChain])
  await client.query(`drop schema ${ofChain}`)
  await client.end()

  const spread = await runFirn('migrate', '--config', from, '--to', two)
  assert.equal(spread.code, 0, spread.stderr)
  assert.match(spread.stdout, /Start Firn with the configuration that says where: .*two\.yaml$/m)
  assert.deepEqual(await digestsAt(places), before)
  assert.deepEqual(await namespacesIn(main), ofAll)
  assert.deepEqual(await namespacesIn(second), [ofChain])
  const host = await freshFolder(t)
  const keys = await runFirn('keys', 'list', '--config', two, '--data-dir', host)
  assert.match(keys.stdout, /shop/)

  // From one server to another: what does not move stays.
  const again = await runFirn('migrate', '--config', two, '--to', moved)
  assert.equal(again.code, 0, again.stderr)
  assert.match(again.stderr, /^stays where it is, as it is there already: messages$/m)
  assert.deepEqual(await namespacesIn(third), [ofChain])
  const there = { ...places, stores: [{ pattern: chain, url: third }] }
  assert.deepEqual(await digestsAt(there), before)
  const nothing = await runFirn('migrate', '--config', moved, '--to', moved)
  assert.equal(nothing.code, 2)
  assert.match(nothing.stderr, /^firn: the stores are there already, where --to leads\n$/)

  const home = await runFirn('migrate', '--config', moved, '--to', together)
  assert.equal(home.code, 0, home.stderr)
  assert.deepEqual(await digestsAt({ store: together, dataDir: '' }), before)
  assert.deepEqual(await namespacesIn(together), [...ofAll, ofChain].toSorted())
})

void test('migrate: one that ended while copies got their names is finished at all servers', async () => {
  const [main, second] = [await newDatabase(), await newDatabase()]
  const location = { store: main, stores: [{ pattern: 'fuji-*', url: second }], dataDir: '' }
  const stores = [
    { name: chain, tables: chainTables },
    { name: 'messages', tables: messageTables },
  ]
  const names = stores.map(({ name }) => name)
  const targets = await openTargets(location, names)
  assert.equal(targets.isMoving, false)
  for (const store of stores) {
    const target = targets.of(store.name)
    await (await target.openCopy(store, undefined)).close()
    await target.whole(store.name)
    await target.seal()
  }
  await targets.of('messages').finish()
  await targets.of(chain).close()
  assert.deepEqual(await namespacesIn(second), [`${ofChain}_migrating`, 'firn_migration'])

  const next = await openTargets(location, names)
  assert.equal(next.isMoving, true)
  await next.finish()
  assert.deepEqual(await namespacesIn(main), ['firn_messages'])
  assert.deepEqual(await namespacesIn(second), [ofChain])
})
