/** Stores behind a real PgBouncer, in each of its modes. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import pg from 'pg'

import { type Database, statement } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { createDatabase, startPostgres } from '../support/stores/postgres.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { poolerProgram, startPooler } from './pooler.ts'

const isMissing = poolerProgram() === undefined
const skip = isMissing && process.env['CI'] !== 'true' && 'no PgBouncer: TEST_PGBOUNCER'
const server = await startPostgres()
after(() => server.stop())

const run = { step: 60, owner: 'test', traces: false }

const modes = [
  ['session mode', ['pool_mode = session']],
  [
    'session mode that ignores options',
    ['pool_mode = session', 'ignore_startup_parameters = options'],
  ],
  ['transaction mode', ['pool_mode = transaction', 'default_pool_size = 3']],
  [
    'transaction mode that ignores options',
    ['pool_mode = transaction', 'default_pool_size = 3', 'ignore_startup_parameters = options'],
  ],
] as const

for (const [at, [name, settings]] of modes.entries())
  void test(
    `pooler: two chains in ${name} have their own rows, and one writer each`,
    { skip },
    async (t) => {
      const direct = await createDatabase(server.url, `pooler_${at}`)
      // Where names without a schema would be made; a pooler that ignores options keeps it.
      await countIn(direct, 'create schema elsewhere')
      await countIn(direct, `alter database pooler_${at} set search_path = elsewhere, public`)
      const pooler = await startPooler(direct, settings)
      t.after(() => pooler.stop())
      const store = pooler.through(direct)
      const location: StoreLocation = { store, dataDir: '' }
      await Promise.all([
        readDemoChain(location, { ...run, name: 'one', chain: 51_001 }),
        readDemoChain(location, { ...run, name: 'two', chain: 51_002 }),
      ])
      const [one, two] = await Promise.all(['one', 'two'].map((key) => digestOf(location, key)))
      assert.deepEqual(one, await digestWithout())
      assert.notDeepEqual(two, await digestWithout())
      assert.equal(
        await countIn(
          direct,
          "select count(*)::int as n from pg_tables where schemaname in ('public', 'elsewhere')",
        ),
        0,
      )
      await marksAreKept(location)
    },
  )

let alone: Promise<Record<string, string>> | undefined

/** Rows of the first chain, written by a process that reaches the server itself. */
function digestWithout(): Promise<Record<string, string>> {
  const read = async (): Promise<Record<string, string>> => {
    const location = { store: await createDatabase(server.url, 'without'), dataDir: '' }
    await readDemoChain(location, { name: 'one', chain: 51_001, ...run })
    return digestOf(location, 'one')
  }
  return (alone ??= read())
}

/** The mark of a writer is its own, whoever else asks, until it is gone. */
async function marksAreKept(location: StoreLocation): Promise<void> {
  const open = (owner: string): Promise<Database> =>
    openStore({ ...location, owner }, 'marked', controlTables, 'write')
  const [first, second] = await Promise.all([open('a'), open('b')])
  assert.equal(await first.claim(1), true)
  const counted = statement('select count(*) from lease')
  for (let round = 0; round < 20; round++) {
    await Promise.all([first.get(counted), second.get(counted)])
    assert.equal(await second.claim(1), false, `round ${round}`)
  }
  await first.close()
  assert.equal(await second.claim(1), true)
  await second.close()
}

async function digestOf(location: StoreLocation, key: string): Promise<Record<string, string>> {
  const database = await openStore(location, key, chainTables, 'read')
  const digest = await storeDigest(database, [...evmTables, ...metricsTables])
  await database.close()
  return digest
}

async function countIn(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ n: number }>(sql)
  await client.end()
  return rows[0]?.n ?? -1
}
