/**
 * How soon a standby writes after its predecessor is gone, on a real PostgreSQL: killed, stopped at
 * rest, and stopped inside a transaction, which keeps the row of the lease locked.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'

import pg from 'pg'

import { namespaceOf } from '../../src/store/engine/postgres.ts'
import { entry, follow, freshFolder, type RunningFirn, until } from '../firn-process.ts'
import { openReplayNode, type ReplayNode, serveReplayNode } from '../replay-node.ts'
import { newDatabase } from '../shared-postgres.ts'

/** What is promised: from the end of the one to the first commit of the other. */
const promisedMs = 5_000
const key = 'fuji-takeover'
const space = namespaceOf(key)

type Process = RunningFirn & { readonly kill: (signal: NodeJS.Signals) => void }
type Writer = { readonly owner: string; readonly epoch: number; readonly height: number }

/** Two processes over one store, the first of which writes; `client` looks at the database. */
type Scene = {
  readonly node: ReplayNode
  readonly first: Process
  readonly client: pg.Client
  readonly store: string
}

void test('takeover: a writer that is killed is replaced in time', (t) =>
  scene(t, async ({ first, node, client }) => {
    const before = await writerOf(client)
    node.head++
    first.kill('SIGKILL')
    await replacedInTime(client, before)
  }))

void test('takeover: a writer that is stopped at rest is replaced in time', (t) =>
  scene(t, async ({ first, node, client }) => {
    const before = await writerOf(client)
    first.kill('SIGSTOP')
    node.head++
    await replacedInTime(client, before)
    first.kill('SIGCONT')
  }))

void test('takeover: a writer that is stopped inside a transaction is replaced in time', (t) =>
  scene(t, async ({ first, node, client, store }) => {
    await stopInsideTransaction({ first, node, client, store })
    await replacedInTime(client, await writerOf(client))
    first.kill('SIGCONT')
  }))

async function scene(t: TestContext, check: (scene: Scene) => Promise<void>): Promise<void> {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  node.head = node.recording.heights.until - 20
  const server = await serveReplayNode(node)
  t.after(server.close)
  const store = await newDatabase()
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  t.after(() => client.end())
  const first = await startOne(t, store, server.url)
  await until('the first writes', async () => (await writerOf(client)).height === node.head)
  const second = await startOne(t, store, server.url)
  await until('the second stands by', standsBy(client, await writerOf(client)))
  assert.ok(second.nodeUrl !== '')
  await check({ node, first, client, store })
}

/** Whether a process other than the writer looks at the lease. */
function standsBy(client: pg.Client, { owner }: Writer): () => Promise<boolean> {
  const sql = `select 1 from pg_stat_activity where application_name like 'firn %'
    and application_name <> $1 and query like '%from "${space}".lease%'`
  return async () => (await client.query(sql, [`firn ${owner}`])).rows.length > 0
}

async function startOne(t: TestContext, store: string, rpcUrl: string): Promise<Process> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `store: '${store}'\nchains:\n  - { name: Takeover, rpcUrls: ['${rpcUrl}'], traces: off }\n`,
  )
  const words = ['--port', '0', '--node-port', '0', '--config', config]
  const child = spawn(process.execPath, [
    entry,
    'start',
    ...words,
    '--data-dir',
    join(folder, 'data'),
  ])
  return { ...(await follow(t, child)), kill: (signal) => void child.kill(signal) }
}

/** Stops the writer after a statement of a commit, with the row of the lease locked. */
async function stopInsideTransaction({ first, node, client, store }: Scene): Promise<void> {
  const other = new pg.Client({ connectionString: store })
  await other.connect()
  await other.query(`begin; lock table "${space}".block in exclusive mode`)
  const { height } = await writerOf(client)
  node.head = height + 1
  const sessions = (what: string): (() => Promise<boolean>) => {
    const sql = `select 1 from pg_stat_activity where application_name like 'firn %' and ${what}`
    return async () => (await client.query(sql)).rows.length > 0
  }
  await until('the commit waits', sessions(`wait_event_type = 'Lock' and query like '%block%'`))
  first.kill('SIGSTOP')
  await other.query('commit')
  await other.end()
  const isIdle = `state = 'idle in transaction' and query not like '%advisory%'`
  await until('its session waits for it', sessions(`${isIdle} and query like '%block%'`))
  assert.equal((await writerOf(client)).height, height)
}

async function replacedInTime(client: pg.Client, before: Writer): Promise<void> {
  const sinceMs = performance.now()
  await until('another writer commits', async () => {
    const now = await writerOf(client)
    return now.owner !== before.owner && now.height > before.height
  })
  const tookMs = Math.round(performance.now() - sinceMs)
  console.log(`first commit of the successor after ${tookMs} ms`)
  assert.ok(tookMs <= promisedMs, `took ${tookMs} ms`)
}

async function writerOf(client: pg.Client): Promise<Writer> {
  try {
    const { rows } = await client.query(
      `select owner, lease.epoch::int, height::int from "${space}".lease, "${space}".checkpoint where stage = 'blocks'`,
    )
    const { owner, epoch, height } = rows[0] ?? { owner: '', epoch: 0, height: -1 }
    return { owner, epoch, height }
  } catch (error) {
    const isMissing = error instanceof pg.DatabaseError && /^(42P01|3F000)$/.test(error.code ?? '')
    // The store is not made yet.
    if (isMissing) return { owner: '', epoch: 0, height: -1 }
    throw error
  }
}
