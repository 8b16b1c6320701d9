/** Readiness of running processes: what makes them unready is named, and passes. */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  entry,
  follow,
  freshFolder,
  startFirn,
  chainStatuses,
  until,
  untilLive,
  type RunningFirn,
} from '../support/processes/firn-process.ts'

const path = fileURLToPath(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const key = 'fuji-demo'
/** A user of its own that may mount, and mounts that nobody else sees. */
const ownMounts = ['--user', '--map-root-user', '--mount'] as const

/** Status of readiness, and what its check of chains says. */
async function readiness(
  firn: RunningFirn,
): Promise<{ status: number; error: string; message: string }> {
  const reply = await fetch(`${firn.nodeUrl}/ext/health/readiness`)
  const { checks } = objectOf(await reply.json(), 'health')
  const { error, message } = objectOf(objectOf(checks, 'checks')['chains'], 'chains')
  return {
    status: reply.status,
    error: typeof error === 'string' ? error : '',
    message: JSON.stringify(message ?? {}),
  }
}

async function isReady(firn: RunningFirn): Promise<boolean> {
  return (await readiness(firn)).status === 200
}

void test('readiness: a process that serves a chain without indexer is not live, and says so', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const chain = `{ name: Demo, recording: '${path}' }`
  await writeFile(config, `node: { maxLagSeconds: 1 }\nchains: [${chain}]\n`)
  const common = ['--config', config, '--data-dir', folder]
  const writer = await startFirn(t, [...common, '--role', 'index'])
  const reader = await startFirn(t, [...common, '--role', 'serve'])
  await until('served', async () => (await chainStatuses(reader)).get(key)?.state === 'live')
  await until('ready', () => isReady(reader))
  await writer.end()
  await until('not ready', async () => !(await isReady(reader)))
  assert.match((await readiness(reader)).error, /^fuji-demo is indexed by no process for \d+ s$/)
  const status = (await chainStatuses(reader)).get(key)
  assert.equal(status?.state, 'syncing')
  assert.match(status?.reason ?? '', /^no process has indexed it for \d+ s$/)
  const alive = await fetch(`${reader.nodeUrl}/ext/health/liveness`)
  assert.equal(alive.status, 200)
})

void test(
  'readiness: a process that serves reads a folder that is mounted read only',
  { skip: canMount() ? false : 'this system lets nobody mount a folder' },
  async (t) => {
    const folder = await freshFolder(t)
    const data = join(folder, 'data')
    const config = join(folder, 'firn.yaml')
    await writeFile(config, `chains: [{ name: Demo, recording: '${path}' }]\n`)
    const common = ['--config', config, '--data-dir', data]
    const writer = await startFirn(t, [...common, '--role', 'index'])
    await until('stored', async () => (await readiness(writer)).message.includes('live'))
    const words = [process.execPath, entry, 'start', ...common, '--role', 'serve']
    const mounted = `mount --bind ${data} ${data} && mount -o remount,ro,bind ${data} && exec "$@"`
    const reader = await follow(
      t,
      spawn('unshare', [
        ...ownMounts,
        'sh',
        '-c',
        mounted,
        'sh',
        ...words,
        '--port',
        '0',
        '--node-port',
        '0',
      ]),
    )
    await until('served', async () => (await chainStatuses(reader)).get(key)?.state === 'live')
    assert.equal((await reader.get('/v1/chains/51002/blocks/7'))['blockNumber'], '7')
    assert.equal(await reader.end('SIGTERM'), 0)
  },
)

function canMount(): boolean {
  return spawnSync('unshare', [...ownMounts, 'true']).status === 0
}

void test('readiness: a chain that was live and lost its node is named, until the node is back', async (t) => {
  const node = await openReplayNode(await readFile(path))
  node.head = 100
  let isAway = false
  node.script = () => (isAway ? 'reset' : undefined)
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `node: { maxLagSeconds: 1 }\nchains: [{ name: Demo, rpcUrls: ['${url}'] }]\n`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
  await untilLive(firn, [key])
  // Checks run every few seconds; this one must have seen that the chain was live.
  await until('live', async () =>
    (await readiness(firn)).message.includes('"blocks":"live at 100"'),
  )
  isAway = true
  await until('not ready', async () => !(await isReady(firn)))
  assert.match((await readiness(firn)).error, /fuji-demo blocks behind for \d+ s: a node does not/)
  isAway = false
  await until('ready again', () => isReady(firn))
})

void test('readiness: damage of a store makes it fail once any read meets the damage', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `chains: [{ name: Demo, recording: '${path}' }]\n`)
  const common = ['--config', config, '--data-dir', folder]
  const writer = await startFirn(t, [...common, '--role', 'index'])
  await until('indexed', async () => (await stageStates(writer)) === 'live')
  await writer.end()
  await spoilTable(join(folder, `${key}.sqlite`), 'evm_transaction')
  const firn = await startFirn(t, [...common, '--role', 'serve'])
  await until('ready: no check reads what is damaged', () => isReady(firn))
  const list = await fetch(`${firn.apiUrl}/v1/chains/51002/transactions?pageSize=100`)
  assert.equal(list.status, 503)
  await until('not ready', async () => !(await isReady(firn)))
  const reply = await fetch(`${firn.nodeUrl}/ext/health/readiness`)
  const { checks } = objectOf(await reply.json(), 'health')
  const { error } = objectOf(objectOf(checks, 'checks')['databases'], 'databases')
  assert.match(String(error), /^store fuji-demo: .*malformed.*; see firn verify --store$/)
})

/** State of the blocks in the status of a process that only indexes. */
async function stageStates(firn: RunningFirn): Promise<string> {
  const { message } = await readiness(firn)
  return message.includes('"blocks":"live') ? 'live' : message
}

/** Writes over every page of a table but its first, which lies in the pages of no other. */
async function spoilTable(file: string, table: string): Promise<void> {
  const database = new DatabaseSync(file)
  const pages = database.prepare('select pageno from dbstat where name = ?').all(table)
  const size = Number(database.prepare('pragma page_size').get()?.['page_size'])
  database.close()
  assert.ok(pages.length > 2)
  const bytes = await readFile(file)
  for (const { pageno } of pages.slice(1)) {
    const from = (Number(pageno) - 1) * size
    bytes.fill(0xff, from, from + size)
  }
  await writeFile(file, bytes)
}
