/**
 * `firn start` on servers that cannot be used, all of them real: one sentence with the remedy, the
 * documented exit code, and the database is as it was.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'

import pg from 'pg'

import { namespaceOf } from '../../src/store/postgres/names.ts'
import { deploymentStore } from '../../src/store/schema/deployment.ts'
import { freshFolder, runFirn, startFirn } from '../support/processes/firn-process.ts'
import { citusFleet, citusFleetName } from '../support/processes/test-settings.ts'
import { createDatabase, startPostgres } from '../support/stores/postgres.ts'
import { citusDatabase, startCitus } from './citus-server.ts'
import { poolerProgram, startPooler } from './pooler.ts'

const inCi = process.env['CI'] === 'true'
const server = await startPostgres()
after(() => server.stop())

const chain = 'fuji-refused'
const recording = new URL('../../demo/chain-51002.firnrec', import.meta.url).pathname

/** A database that Firn is to refuse. */
type Refused = {
  /** Value of the setting `store`. */
  readonly store: string
  /** Where the same database can be looked at; absent where there is none. */
  readonly look?: string
  readonly code: number
  readonly sentence: RegExp
}

async function refuses(t: TestContext, { store, look, code, sentence }: Refused): Promise<void> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const secret = new URL(store)
  secret.password = 'hidden'
  const lines = [
    `store: '${secret.href}'`,
    'postgres: { waitSeconds: 0 }',
    `chains: [{ name: Refused, recording: '${recording}' }]`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  const before = look === undefined ? '' : await everything(look)
  const words = ['--port', '0', '--node-port', '0', '--config', config]
  const ended = await runFirn('start', ...words, '--data-dir', join(folder, 'data'))
  assert.equal(ended.code, code, ended.stderr)
  const errors = ended.stderr.split('\n').filter((line) => line.startsWith('firn: '))
  assert.equal(errors.length, 1, ended.stderr)
  assert.match(errors[0] ?? '', sentence)
  assert.doesNotMatch(ended.stderr, /hidden|\n {4}at /)
  if (look !== undefined) assert.equal(await everything(look), before)
  const guide = readFileSync(new URL('../../docs/guide/command-line.md', import.meta.url), 'utf8')
  assert.match(guide, new RegExp(`^\\| ${code} +\\|`, 'm'), `exit code ${code} is documented`)
}

/** Names and sizes of everything that is not the server's own, and what Firn's own notes say. */
async function everything(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select nspname::text, relname::text, relkind::text, pg_relation_size(c.oid)::int as bytes, relfilenode
       from pg_namespace n left join pg_class c on c.relnamespace = n.oid
       where nspname !~ '^(pg_|information_schema)' order by 1, 2`,
    )
    return rows.map((row) => Object.values(row).join(' ')).join('\n')
  } finally {
    await client.end()
  }
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}

void test('refused: a server that cannot be reached', (t) =>
  refuses(t, {
    store: 'postgres://firn@127.0.0.1:1/firn',
    code: 1,
    sentence: /ECONNREFUSED 127\.0\.0\.1:1; start PostgreSQL, or mend the setting `store`$/,
  }))

void test('a server that breaks off while Firn starts is waited for', async (t) => {
  const relay = await breakingRelay(await createDatabase(server.url, 'breaking'))
  t.after(relay.close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const chains = `chains: [{ name: Waited, recording: '${recording}' }]`
  await writeFile(config, `store: '${relay.url}'\n${chains}\n`)
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  assert.match(firn.errors(), /starting waits for the database/)
  assert.equal(await firn.end(), 0)
})

void test('refused: a server of a version that is too old', async (t) => {
  const look = await createDatabase(server.url, 'older')
  const relay = await olderRelay(look)
  t.after(relay.close)
  const sentence = /PostgreSQL is older than 14, which Firn needs at least: 13/
  await refuses(t, { store: relay.url, look, code: 4, sentence })
})

void test('refused: a server that may only be read', async (t) => {
  const replica = await server.replica()
  t.after(() => replica.stop())
  const sentence =
    /read-only transaction; the setting `store` must name the primary, replicas belong/
  await refuses(t, { store: replica.url, look: replica.url, code: 1, sentence })
})

void test('refused: a server without a connection left', async (t) => {
  const few = await startPostgres('any', ['max_connections=6', 'superuser_reserved_connections=1'])
  await run(few.url, 'create role plain login', 'grant create on database firn to plain')
  const store = new URL(few.url)
  store.username = 'plain'
  const taken = Array.from({ length: 5 }, () => new pg.Client({ connectionString: store.href }))
  for (const one of taken) await one.connect()
  t.after(async () => {
    for (const one of taken) await one.end()
    await few.stop()
  })
  const sentence =
    /raise max_connections of the server, or lower the setting `postgres.connections`$/
  await refuses(t, { store: store.href, look: few.url, code: 1, sentence })
})

void test('refused: a user without the right to make schemas', async (t) => {
  const look = await createDatabase(server.url, 'rights')
  await run(look, 'create role without_rights login')
  const store = new URL(look)
  store.username = 'without_rights'
  const sentence = /permission denied.*; grant the user of the setting `store` the right to create/
  await refuses(t, { store: store.href, look, code: 1, sentence })
})

void test('refused: tables of others where Firn has its own', async (t) => {
  const look = await createDatabase(server.url, 'others')
  const space = namespaceOf(deploymentStore)
  await run(
    look,
    `create schema "${space}"`,
    `create table "${space}".deployment_document (mine text)`,
  )
  const sentence =
    /schema firn_deployment .* not made by Firn; drop it, or name another database in `store`$/
  await refuses(t, { store: look, look, code: 5, sentence })
})

void test('refused: a store of another version of Firn', async (t) => {
  const look = await createDatabase(server.url, 'newer')
  const space = namespaceOf(chain)
  const made = ['version bigint primary key', `insert into "${space}".firn_format values (999)`]
  await run(
    look,
    `create schema "${space}"`,
    `create table "${space}".firn_format (${made[0]})`,
    String(made[1]),
  )
  const sentence =
    /store fuji-refused was written by a newer version of Firn \(layout 999\): start that version; this one leaves schema firn_fuji_refused as it is/
  await refuses(t, { store: look, look, code: 5, sentence })
})

const withoutCitus = citusFleet === undefined && `no script that starts a Citus: ${citusFleetName}`
void test('refused: a Citus without schema-based sharding', { skip: withoutCitus }, async (t) => {
  const citus = await startCitus(citusFleet ?? '', 0)
  t.after(() => citus.stop())
  const look = await citusDatabase(citus.nodes, 'rows')
  await run(look, 'alter database rows reset citus.enable_schema_based_sharding')
  const sentence =
    /Citus has no schema-based sharding in this database; .*alter database … set citus/
  await refuses(t, { store: look, look, code: 4, sentence })
})

void test('refused: a server whose disk is full', async (t) => {
  const small = await startPostgres('any', [], fullAtKib)
  t.after(() => small.stop())
  await fill(small.url)
  const sentence = /could not extend file .*; free space on the disk of the database server$/
  await refuses(t, { store: small.url, look: small.url, code: 1, sentence })
})

/** Half a page more than whole ones: a server that writes a part of a page finds no space left. */
const fullAtKib = 20 * 1_024 + 4

/** Makes tables until the list of all columns can grow no more. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const columns of [1_500, 1]) {
      const names = Array.from({ length: columns }, (_, at) => `c${at} int`).join(', ')
      for (let at = 0; ; at++) {
        const full = await client.query(`create table filler_${columns}_${at} (${names})`).then(
          () => false,
          (error: unknown) => {
            assert.equal(error instanceof pg.DatabaseError && error.code, '53100')
            return true
          },
        )
        if (full) break
      }
    }
  } finally {
    await client.end()
  }
}

void test(
  'refused: a pooler in statement mode',
  { skip: poolerProgram() === undefined && !inCi && 'no PgBouncer: TEST_PGBOUNCER' },
  async (t) => {
    const look = await createDatabase(server.url, 'pooled')
    const pooler = await startPooler(look, ['pool_mode = statement'])
    t.after(() => pooler.stop())
    const sentence = /PgBouncer is in statement mode.* pool_mode to transaction or session$/
    await refuses(t, { store: pooler.through(look), look, code: 4, sentence })
  },
)

void test(
  'refused: a search_path that puts names of others before those of the server',
  { skip: poolerProgram() === undefined && !inCi && 'no PgBouncer: TEST_PGBOUNCER' },
  async (t) => {
    const look = await createDatabase(server.url, 'paths')
    await run(look, 'create schema mine', 'alter database paths set search_path = mine, pg_catalog')
    const settings = ['pool_mode = transaction', 'ignore_startup_parameters = options']
    const pooler = await startPooler(look, settings)
    t.after(() => pooler.stop())
    const sentence =
      /search_path puts a schema before pg_catalog; take it out of the settings .*: mine$/
    await refuses(t, { store: pooler.through(look), look, code: 4, sentence })
  },
)

type Relay = { readonly url: string; readonly close: () => Promise<void> }

/** The server of `url`, which ends each of the first connections at its third answer. */
function breakingRelay(url: string): Promise<Relay> {
  let left = 12
  return relayed(url, () => {
    const isBroken = left-- > 0
    let answers = 0
    return (bytes) => (isBroken && ++answers > 2 ? undefined : bytes)
  })
}

/** The server of `url`, which says of itself that its version is 13. */
async function olderRelay(url: string): Promise<Relay> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  )
  await client.end()
  const [now, old] = [rows[0]?.version ?? '', '130022']
  assert.equal(now.length, old.length, 'answers keep their lengths')
  return relayed(
    url,
    () => (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(now, old), 'latin1'),
  )
}

/** Relays to the server of `url`; `answering` gives what becomes of its bytes, nothing ends the connection. */
async function relayed(
  url: string,
  answering: () => (bytes: Buffer) => Buffer | undefined,
): Promise<Relay> {
  const target = new URL(url)
  const port = Number(target.port)
  const open = new Set<Socket>()
  const relay = createServer((caller) => {
    const callee = connect(port, '127.0.0.1')
    for (const socket of [caller, callee]) {
      open.add(socket)
      socket.on('error', () => undefined)
    }
    caller.pipe(callee)
    const answer = answering()
    callee.on('data', (bytes) => {
      const forged = answer(Buffer.from(bytes))
      if (forged === undefined) caller.destroy()
      else caller.write(forged)
    })
    caller.on('close', () => callee.destroy())
    callee.on('close', () => caller.destroy())
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const address = relay.address()
  assert.ok(typeof address === 'object' && address !== null)
  target.port = String(address.port)
  return {
    url: target.href,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}
