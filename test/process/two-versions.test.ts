/**
 * A deployment on PostgreSQL whose stores a later version has brought to its layout: processes of this version that serve
 * go on, also after a restart, and none of them writes.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

import { openStore } from '../../src/store/open.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { chainTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import {
  demoChains,
  entry,
  freshFolder,
  runFirn,
  startFirn,
  twoChains,
  until,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import { laterLayouts } from '../support/stores/later-layouts.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

void test('two versions: a serving process reads on from stores to which a later version only added, an indexing one leaves them', async (t) => {
  const store = await newDatabase()
  process.env['FIRN_STORE'] = store
  process.env['FIRN_POSTGRES_CONNECTIONS'] = '10'
  t.after(() => {
    delete process.env['FIRN_STORE']
    delete process.env['FIRN_POSTGRES_CONNECTIONS']
  })
  const filling = await startFirn(t, ['--data-dir', await freshFolder(t)])
  await untilAllServed(filling)
  assert.equal(await filling.end(), 0)

  const folder = await freshFolder(t)
  const words = ['--data-dir', folder, '--role', 'serve']
  const paths = [
    '/v1/chains/51001/blocks/7',
    '/v1/chains/51001/transactions?pageSize=20',
    '/v1/networks/testnet/validators?pageSize=20',
    '/v1/icm/messages?pageSize=20',
  ]
  const serving = await startFirn(t, words)
  const pages = async ({ get }: typeof serving): Promise<unknown> =>
    Promise.all(paths.map(async (path) => ({ ...(await get(path)), nextPageToken: undefined })))
  const served = (firn: typeof serving): Promise<void> =>
    until('stores that are served', () =>
      pages(firn).then(
        () => true,
        () => false,
      ),
    )
  await served(serving)
  const before = await pages(serving)

  // Requests go on all the while.
  let isMigrated = false
  const requests = (async () => {
    let count = 0
    do {
      assert.deepEqual(await pages(serving), before)
      count++
    } while (!isMigrated)
    return count
  })()
  const layouts = laterLayouts('adds')
  for (const name of demoChains) {
    const tables = name.startsWith('primary') ? primaryStoreTables : chainTables
    await (await openStore({ store, dataDir: '', layouts }, name, tables, 'write')).close()
  }
  isMigrated = true
  assert.ok((await requests) > 0)
  assert.deepEqual(await pages(serving), before)
  assert.equal(await serving.end(), 0)

  const again = await startFirn(t, words)
  await served(again)
  assert.deepEqual(await pages(again), before)
  assert.equal(await again.end(), 0)

  const own = ['start', '--port', '0', '--node-port', '0', '--data-dir', await freshFolder(t)]
  const indexing = spawn(process.execPath, [entry, ...own], { env: twoChains() })
  let errors = ''
  indexing.stderr.on('data', (part: Buffer) => (errors += part.toString()))
  const [code] = await once(indexing, 'exit')
  assert.equal(code, 5, errors)
  assert.match(
    errors,
    /was written by version \S+ of Firn \(layout \d+\): start that version; this one leaves/,
  )
  const checked = await runFirn('upgrade', '--check', '--data-dir', folder)
  assert.equal(checked.code, 5, checked.stdout)
  assert.match(checked.stdout, /^store fuji-demo-chain was written by version \S+ of Firn/m)
  await (
    await openStore({ store, dataDir: '', layouts }, demoChains[0] ?? '', controlTables, 'read')
  ).close()
})
