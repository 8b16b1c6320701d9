/** A host that indexes into a bucket, and one with an empty disk that serves from it: their pages are the same. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { openRecording } from '../../src/source/recorded/recording.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { logStoreOf, logStoreTables } from '../../src/store/schema/logs.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { isLive, runStage } from '../support/chains/log-stage.ts'
import {
  freshFolder,
  runFirn,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { freezeAt, freezeLogsAt } from '../support/stores/freeze-store.ts'
import {
  bucketOf,
  placeOfStorage,
  startStorage,
  storageKeys,
} from '../support/stores/object-storage.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const l1 = 'fuji-demo-l1'

void test('bucket: a host with an empty disk serves what another one indexed; damage of its disk mends itself', async (t) => {
  const storage = await startStorage()
  t.after(storage.close)
  for (const [name, value] of Object.entries({
    FIRN_STORE: await newDatabase(),
    FIRN_INDEX_STORE: placeOfStorage(storage),
    FIRN_POSTGRES_CONNECTIONS: '10',
    ...storageKeys,
  })) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
  const [own, other] = [await freshFolder(t), await freshFolder(t)]
  const filling = await startFirn(t, ['--data-dir', own])
  await untilLive(filling, [l1])
  assert.equal(await filling.end(), 0)
  const folder = join(own, 'history-cache')
  const location: StoreLocation = {
    store: process.env['FIRN_STORE'] ?? '',
    dataDir: own,
    segments: folder,
    bucket: bucketOf(storage, { folder }),
    freeze: {},
  }
  const database = await openStore(location, l1, chainTables, 'write')
  // So that no other deployment takes the place.
  assert.notEqual((await database.history?.manifest(database))?.folder, '')
  await freezeAt(database, [40, 80])
  const kept = logStoreOf(l1)
  const logs = await openStore(location, kept, logStoreTables, 'write')
  const recording = openRecording(
    readFileSync(new URL('../../demo/chain-51002.firnrec', import.meta.url)),
  )
  await runStage({ logs, chain: database }, recording, isLive)
  await freezeLogsAt(logs, [40, 80])
  await logs.close()
  await database.close()

  const all = await startFirn(t, ['--data-dir', own])
  await untilLive(all, [l1])
  const paths = [0, 39, 79].map((height) => `/v1/chains/51002/blocks/${height}`)
  const ask = async ({ get }: typeof all): Promise<unknown[]> =>
    Promise.all([
      ...paths.map(get),
      get('/v1/chains/51002/transactions?pageSize=100').then(({ transactions }) => transactions),
    ])
  const serving = await startFirn(t, ['--data-dir', other, '--role', 'serve'])
  const pages = await ask(all)
  assert.deepEqual(await ask(serving), pages)
  const cached = join(other, 'history-cache', l1)
  const files = readdirSync(cached)
  assert.equal(files.length, 2)
  const metrics = await (await fetch(`${serving.nodeUrl}/ext/metrics`)).text()
  assert.match(metrics, /firn_history_cache_files_total\{outcome="fetched"\} [1-9]/)
  assert.match(metrics, /firn_bucket_bytes_total\{direction="received"\} [1-9]/)
  assert.equal(await serving.end(), 0)

  // A third host has its disk filled before it serves.
  const third = await freshFolder(t)
  const warmed = await runFirn('cache', 'warm', l1, '--data-dir', third)
  assert.equal(warmed.code, 0, warmed.stderr)
  assert.match(warmed.stdout, /: 4 of 4 files, /m)
  assert.match(warmed.stdout, new RegExp(`^${kept}: 2 of 2 files, `, 'm'))
  const ofLogs = (): readonly string[] =>
    [...storage.files.keys()].filter((each) => each.includes(`/${kept}/`))
  assert.equal(ofLogs().filter((each) => each.endsWith('.sqlite')).length, 2)
  const deleted = await runFirn('logs', 'delete', l1, '--data-dir', third)
  assert.equal(deleted.code, 0, deleted.stderr)
  assert.deepEqual(ofLogs(), [])
  const none = await runFirn('logs', 'delete', l1, '--data-dir', third)
  assert.match(none.stderr, /there are no logs of chain fuji-demo-l1/)
  // Of traces, too, which nobody has requested from the second one.
  const fetched = readdirSync(join(third, 'history-cache', l1))
  assert.equal(fetched.length, 4)
  for (const file of files) assert.ok(fetched.includes(file))
  const unknown = await runFirn('cache', 'warm', 'fuji-none', '--data-dir', third)
  assert.match(unknown.stderr, /there is no store of chain fuji-none; there is: /)

  // While the bucket refuses, a host that needs it is not ready and says why; then it mends itself.
  const fourth = await startFirn(t, ['--data-dir', await freshFolder(t), '--role', 'serve'])
  const readiness = async (): Promise<string> =>
    (await fetch(`${fourth.nodeUrl}/ext/health/readiness`)).text()
  await until('it is ready', async () => /"healthy":true/.test(await readiness()))
  storage.fault = (request) => (request.endsWith('.sqlite') ? 'denied' : undefined)
  assert.equal((await fetch(`${fourth.apiUrl}${paths[0]}`)).status, 503)
  const why = /fuji-demo-l1: object storage refuses with 403 /
  await until('it is not ready', async () => why.test(await readiness()))
  assert.match(
    await (await fetch(`${fourth.apiUrl}/status`)).text(),
    /object storage refuses with 403/,
  )
  const cold = await runFirn('cache', 'warm', l1, '--data-dir', await freshFolder(t))
  assert.equal(cold.code, 1)
  assert.match(
    cold.stderr,
    /^firn: segment \S+ is not here: object storage does not give it now: object storage refuses with 403 [^\n]+\n$/m,
  )
  storage.fault = () => undefined
  await until('it is ready', async () => /"healthy":true/.test(await readiness()))
  assert.equal((await fetch(`${fourth.apiUrl}${paths[0]}`)).status, 200)
  assert.equal(await fourth.end(), 0)

  for (const file of files) {
    const bytes = readFileSync(join(cached, file))
    writeFileSync(join(cached, file), bytes.fill(7, 100, Math.floor(bytes.length * 0.9)))
  }
  const again = await startFirn(t, ['--data-dir', other, '--role', 'serve'])
  assert.deepEqual(await ask(again), pages)
  assert.equal(await again.end(), 0)
  assert.equal(await all.end(), 0)
})
