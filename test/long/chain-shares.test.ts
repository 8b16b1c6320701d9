/**
 * Processes that index one deployment share its chains: each has as many as its share, all of them
 * move when one dies or hangs, and a process that comes back gets its share again.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'

import pg from 'pg'

import { openRecording } from '../../src/source/recorded/recording.ts'
import { openStore } from '../../src/store/open.ts'
import { namespaceOf } from '../../src/store/postgres/names.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { icmTables } from '../../src/store/schema/icm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables, messageTables } from '../../src/store/schema/stores.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  entry,
  follow,
  freshFolder,
  type RunningFirn,
  runFirn,
  until,
} from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'
import { filledBeside, storeDigest } from '../support/stores/store-digest.ts'

/**
 * From the end of a process until every chain it had is at its head, beside other tests. What is promised
 * of one chain, 5 s, is measured alone: `test/fleet/postgres-rounds.fleet.ts`.
 */
const limitMs = 15_000
const names = ['One', 'Two', 'Three', 'Four', 'Five']
const ids = [51_001, 51_002]
const keys = names.map((name) => `fuji-${name.toLowerCase()}`)

/** Tables filled from blocks alone: names and metadata come from streams beside them. */
const compared = [...evmTables, ...metricsTables].filter(({ name }) => !filledBeside.has(name))

type Process = RunningFirn & { readonly kill: (signal: NodeJS.Signals) => void }

void test('shares: chains are split, move when a process dies or hangs, and come back', async (t) => {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  const last = node.recording.heights.until - 1
  node.head = last - 60
  const server = await serveReplayNode(node)
  t.after(server.close)
  const store = await newDatabase()
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  t.after(() => client.end())
  const lines = names.map(
    (name) => `  - { name: ${name}, rpcUrls: ['${server.url}'], traces: off }`,
  )
  const config = [`store: '${store}'`, 'role: index', 'chains:', ...lines].join('\n')
  const atHead = async (): Promise<void> =>
    until(`all at ${node.head}`, async () => {
      const written = await writers(client)
      return written.length === keys.length && written.every(({ height }) => height === node.head)
    })

  const first = await startOne(t, config)
  await atHead()
  assert.deepEqual(counts(await writers(client)), [5], 'alone it has them all')
  const second = await startOne(t, config)
  await until('each has its share', async () => isShared(await writers(client)))
  node.head = last - 50
  await atHead()
  // A process that was kept from its core for long has lost a chain meanwhile, and has it back.
  await until('each still has its share', async () => isShared(await writers(client)))

  // One is killed: the other takes its chains, and the next process gets a share.
  second.kill('SIGKILL')
  node.head = last - 40
  await inTime('killed', atHead)
  await until('one has all', async () => counts(await writers(client)).length === 1)
  const third = await startOne(t, config)
  await until('each has its share again', async () => isShared(await writers(client)))
  node.head = last - 30
  await atHead()

  // One hangs: the other takes its chains, and gives a share back when it goes on.
  first.kill('SIGSTOP')
  node.head = last - 20
  await inTime('stopped', atHead)
  first.kill('SIGCONT')
  await until('the thawed one has its share', async () => isShared(await writers(client)))
  node.head = last - 10
  await atHead()

  // One ends as it should: nothing has to be waited out.
  assert.equal(await third.end(), 0)
  node.head = last
  await inTime('ended', atHead)
  assert.equal(await first.end(), 0)

  const location = { store, dataDir: '' }
  const whole = { name: 'whole', chain: 51_001, step: 40, owner: 'test', traces: false } as const
  await readDemoChain(location, whole)
  const expected = await digestOf(store, 'whole')
  for (const key of keys) assert.deepEqual(await digestOf(store, key), expected, key)
})

void test('shares: chains of other processes and of another server are joined and counted as if one had all', async (t) => {
  const [split, beside, alone] = [await newDatabase(), await newDatabase(), await newDatabase()]
  const chain = (id: number): string => `  - { name: Demo ${id}, recording: ${recordingOf(id)} }`
  const config = (store: string, role: string, some: readonly number[]): string =>
    [`store: '${store}'`, `role: ${role}`, 'chains:', ...some.map(chain)].join('\n')
  const apart = `stores: { '*-51002': '${beside}' }`
  for (const id of ids) await startOne(t, `${apart}\n${config(split, 'index', [id])}`)
  const one = await startOne(t, config(alone, 'all', ids))
  await until('the join of one process', async () => (await joined(alone)) !== undefined)
  await until('the join of both', async () => (await joined(split)) !== undefined)
  assert.deepEqual(await joined(split), await joined(alone))
  assert.deepEqual(await namespacesOf(beside), [namespaceOf('fuji-demo-51002')])
  assert.ok(!(await namespacesOf(split)).includes(namespaceOf('fuji-demo-51002')))

  const reader = await startOne(t, `${apart}\n${config(split, 'serve', ids)}`)
  for (const path of [
    '/v2/chains/total/metrics/activeAddresses?timeInterval=day&pageSize=100',
    '/v2/chains/total/metrics/cumulativeAddresses?timeInterval=day&pageSize=100',
    '/v2/chains/testnet/metrics/txCount?timeInterval=hour&pageSize=100',
    '/v1/icm/messages?pageSize=100',
    '/v1/chains/51002/transactions?pageSize=100',
  ]) {
    const { nextPageToken: _other, ...answer } = await reader.get(path)
    const { nextPageToken: _token, ...expected } = await one.get(path)
    assert.deepEqual(answer, expected, path)
  }

  const exported = await runFirn('export', '/v1/chains/51002/blocks', '--url', reader.apiUrl)
  assert.equal(exported.stdout.trim().split('\n').length, 1 + 1 + lastOf(51_002), exported.stderr)

  const folder = await freshFolder(t)
  const file = join(folder, 'firn.yaml')
  await writeFile(file, `${apart}\n${config(split, 'all', ids)}\n`)
  const verified = await runFirn('verify', '--store', '--config', file)
  assert.match(verified.stdout, /fuji-demo-51001[^]*fuji-demo-51002/, verified.stderr)
  assert.equal(verified.code, 0, verified.stdout)
  const found = await runFirn('doctor', '--config', file, '--data-dir', folder)
  assert.match(found.stdout, /store fuji-demo-51002: written now by .*blocks 152/, found.stderr)
})

/** Names of the namespaces of a database that belong to Firn. */
async function namespacesOf(store: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "select nspname::text as name from pg_namespace where nspname like 'firn\\_%' order by 1",
  )
  await client.end()
  return rows.map(({ name }) => name)
}

/** Digest of the messages once both chains are joined to their ends; undefined before. */
async function joined(store: string): Promise<Record<string, string> | undefined> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  try {
    const select = `select stage, height::int from "${namespaceOf('messages')}".checkpoint order by stage`
    const { rows } = await answered<{ stage: string; height: number }>(client, select)
    const heights = Object.fromEntries(rows.map(({ stage, height }) => [stage, height]))
    const isWhole = ids.every((id) => heights[`fuji-demo-${id}`] === lastOf(id))
    if (!isWhole) return undefined
  } finally {
    await client.end()
  }
  const database = await openStore({ store, dataDir: '' }, 'messages', messageTables, 'read')
  const digest = await storeDigest(database, icmTables)
  await database.close()
  return digest
}

function recordingOf(id: number): string {
  return new URL(`../../demo/chain-${id}.firnrec`, import.meta.url).pathname
}

function lastOf(id: number): number {
  return openRecording(readFileSync(recordingOf(id))).heights.until - 1
}

type Written = { readonly owner: string; readonly height: number }

/** Who writes each chain, and how far it is. */
async function writers(client: pg.Client): Promise<readonly Written[]> {
  const parts = keys.map((key) => {
    const space = namespaceOf(key)
    return `select owner, height::int from "${space}".lease, "${space}".checkpoint where stage = 'blocks'`
  })
  return (await answered<Written>(client, parts.join(' union all '))).rows
}

/** The answer; nothing while the stores are not made. */
async function answered<Row extends pg.QueryResultRow>(
  client: pg.Client,
  sql: string,
): Promise<{ readonly rows: readonly Row[] }> {
  try {
    return await client.query<Row>(sql)
  } catch (error) {
    const isMissing = error instanceof pg.DatabaseError && /^(42P01|3F000)$/.test(error.code ?? '')
    if (isMissing) return { rows: [] }
    throw error
  }
}

/** Numbers of chains that each process writes, the fewest first. */
function counts(written: readonly Written[]): readonly number[] {
  const held = Map.groupBy(written, ({ owner }) => owner)
  return [...held.values()].map(({ length }) => length).toSorted((one, other) => one - other)
}

/** The share of two processes is ⌈5 / 2⌉. */
function isShared(written: readonly Written[]): boolean {
  return counts(written).join() === '2,3'
}

async function inTime(what: string, work: () => Promise<void>): Promise<void> {
  const sinceMs = performance.now()
  await work()
  const tookMs = Math.round(performance.now() - sinceMs)
  console.log(`${what}: all chains at the head after ${tookMs} ms`)
  assert.ok(tookMs <= limitMs, `${what}: took ${tookMs} ms`)
}

async function startOne(t: TestContext, lines: string): Promise<Process> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `${lines}\n`)
  const words = [
    '--port',
    '0',
    '--node-port',
    '0',
    '--config',
    config,
    '--data-dir',
    join(folder, 'data'),
  ]
  const child = spawn(process.execPath, [entry, 'start', ...words])
  return { ...(await follow(t, child)), kill: (signal) => void child.kill(signal) }
}

async function digestOf(store: string, name: string): Promise<Record<string, string>> {
  const database = await openStore({ store, dataDir: '' }, name, chainTables, 'read')
  const digest = await storeDigest(database, compared)
  await database.close()
  return digest
}
