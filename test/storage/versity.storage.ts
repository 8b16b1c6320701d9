/**
 * History in a bucket of a real server: VersityGW of `go.mod`, which keeps buckets as folders. Go builds it once, in a
 * minute of a processor.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { bucketAddress } from '../../src/store/bucket/bucket-address.ts'
import type { Bucket } from '../../src/store/bucket/bucket.ts'
import { openStore } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { freezeAt, mergeAll } from '../support/stores/freeze-store.ts'
import { bucketOf } from '../support/stores/object-storage.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { newFolder } from '../support/stores/stores.ts'

const module = 'github.com/versity/versitygw/cmd/versitygw'
const program = fileURLToPath(new URL('../../node_modules/.cache/versitygw', import.meta.url))
const keys = { accessKeyId: 'somebody', secretAccessKey: 'their secret' }
const startsWithinMs = 30_000

const folder = await newFolder()
const buckets = join(folder, 'buckets')
mkdirSync(join(buckets, 'history'), { recursive: true })
const address = bucketAddress(`s3://history/firn?endpoint=http://127.0.0.1:${await freePort()}`)
const bucketWith = (own: typeof keys, aheadMs = 0): Bucket =>
  bucketOf(
    { address },
    {
      folder,
      credentials: { get: async () => own, renew: () => {} },
      clock: { ...systemClock, now: () => Date.now() + aheadMs },
    },
  ).bucket

let server: ChildProcess | undefined
after(() => server?.kill())
before(async () => {
  execFileSync('go', ['build', '-o', program, module], { cwd: import.meta.dirname })
  server = spawn(program, ['--port', new URL(address.url).host, 'posix', buckets], {
    env: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
    stdio: 'ignore',
  })
  const late = performance.now() + startsWithinMs
  while (!(await fetch(address.url).catch(() => undefined)))
    if (performance.now() > late) throw new Error('the server does not start')
    else await pause(100)
})

for (const [kind, size] of Object.entries({ short: 100_000, 'in three parts': 20 * 2 ** 20 }))
  void test(`a real server: a file ${kind} is stored once, read back, listed and removed`, async () => {
    const bucket = bucketWith(keys)
    const path = join(folder, 'file')
    const bytes = randomBytes(size)
    writeFileSync(path, bytes)
    await bucket.put(`a/${size}`, path, 60_000)
    await bucket.put(`a/${size}`, path, 60_000)
    await bucket.put(`a/${size}`, path, 0)
    const read = join(folder, 'read')
    await bucket.get(`a/${size}`, { path: read, check: async () => {} })
    assert.ok(bytes.equals(readFileSync(read)))
    assert.equal((await bucket.list('a/')).get(String(size))?.bytes, size)
    await bucket.remove(`a/${size}`)
    assert.equal(await bucket.find(`a/${size}`), undefined)
  })

void test('a real server: a clock that is an hour off is set, other keys are refused', async () => {
  assert.equal(await bucketWith(keys, 3_600_000).putText('text', 'words'), 'words')
  const stranger = bucketWith({ ...keys, secretAccessKey: 'another' })
  await assert.rejects(stranger.text('text'), { code: 'store-failed' })
})

void test('a real server: history that was frozen and merged there reads as in tables', async () => {
  const dataDir = await newFolder(demoFilling(50, 51_002))
  const name = 'evm-51002'
  const digested = evmTables.filter(({ freezes }) => freezes !== undefined)
  const tables = await openStore({ store: 'embedded', dataDir }, name, chainTables, 'read')
  const whole = await storeDigest(tables, digested)
  await tables.close()
  for (const cache of ['first', 'second']) {
    const segments = join(dataDir, cache)
    const credentials = { get: async () => keys, renew: () => {} }
    const bucket = bucketOf({ address }, { folder: segments, credentials })
    const location = { store: 'embedded', dataDir, segments, bucket, freeze: {} }
    const store = await openStore(location, name, chainTables, 'write')
    await freezeAt(store, [20, 40, 60, 80, 100])
    await mergeAll(store, (all) => (cache === 'first' ? all.slice(0, 3) : []))
    assert.deepEqual(await storeDigest(store, digested), whole)
    await store.close()
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const taken = server.address()
  server.close()
  await once(server, 'close')
  return typeof taken === 'object' && taken !== null ? taken.port : 0
}
