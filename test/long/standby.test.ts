/**
 * Two processes over one PostgreSQL: one writes, one stands by. Whoever loses the store stands by
 * in its turn, and the rows are those of one undisturbed process.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { leaseRow } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  entry,
  follow,
  freshFolder,
  type RunningFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'
import { filledBeside, storeDigest } from '../support/stores/store-digest.ts'

const key = 'fuji-standby'
const chain = 51_001
/** Tables filled from blocks alone: names and metadata come from streams beside them. */
const compared = [...evmTables, ...metricsTables].filter(({ name }) => !filledBeside.has(name))

void test('standby: a process that lost its store stands by, and takes over in its turn', async (t) => {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  const last = node.recording.heights.until - 1
  node.head = last - 60
  const server = await serveReplayNode(node)
  t.after(server.close)
  const store = await newDatabase()
  const location: StoreLocation = { store, dataDir: '' }
  const first = await startOne(t, store, server.url)
  await untilAt(first, last - 60)
  const second = await startOne(t, store, server.url)
  const one = await ownerOf(location)

  // The writer is frozen: the other takes over, and the thawed one writes nothing any more.
  first.kill('SIGSTOP')
  node.head = last - 40
  await until('another writer', async () => (await ownerOf(location)).owner !== one.owner)
  await untilAt(second, last - 40)
  const two = await ownerOf(location)
  first.kill('SIGCONT')
  node.head = last - 20
  await untilAt(second, last - 20)
  await until('the thawed one stands by', async () => {
    const status = (await chainStatuses(first)).get(key)
    return /another process writes/.test(status?.reason ?? '') && status?.state === 'syncing'
  })
  assert.deepEqual(
    await ownerOf(location),
    two,
    'it did not take the store back from a living writer',
  )

  // The writer is gone: the first one takes over in its turn.
  await second.end('SIGKILL')
  node.head = last
  await untilAt(first, last)
  assert.deepEqual(await ownerOf(location), { epoch: two.epoch + 1, owner: one.owner })
  assert.equal(await first.end(), 0)

  await readDemoChain(location, { name: 'whole', chain, step: 40, owner: 'test', traces: false })
  assert.deepEqual(await digestOf(location, key), await digestOf(location, 'whole'))
})

type Process = RunningFirn & { readonly kill: (signal: NodeJS.Signals) => void }

async function startOne(t: TestContext, store: string, rpcUrl: string): Promise<Process> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `
store: '${store}'
chains:
  - { name: Standby, rpcUrls: ['${rpcUrl}'], traces: off }
`,
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

async function untilAt(firn: RunningFirn, height: number): Promise<void> {
  await until(`live at ${height}`, async () => {
    const status = (await chainStatuses(firn)).get(key)
    return status?.state === 'live' && status.indexedHeight === height
  })
}

async function ownerOf(location: StoreLocation): Promise<{ epoch: number; owner: string }> {
  const database = await openStore(location, key, chainTables, 'read')
  const row = await leaseRow(database)
  await database.close()
  assert.ok(row !== undefined)
  return { epoch: row.epoch, owner: row.owner }
}

async function digestOf(location: StoreLocation, name: string): Promise<Record<string, string>> {
  const database = await openStore(location, name, chainTables, 'read')
  const digest = await storeDigest(database, compared)
  await database.close()
  return digest
}
