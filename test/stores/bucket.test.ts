/** Requests to object storage: whatever becomes of one on its way, a file is stored whole and once, or its writer hears of it. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { Fault, type FaultCode } from '../../src/core/fault.ts'
import { bucketAddress, isBucket } from '../../src/store/bucket/bucket-address.ts'
import type { Bucket } from '../../src/store/bucket/bucket.ts'
import { CredentialSource } from '../../src/store/bucket/credentials.ts'
import { openWorld } from '../../src/world/world.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { manualClock } from '../support/processes/manual-clock.ts'
import {
  bucketOf,
  type ObjectStorage,
  startStorage,
  type StorageFault,
} from '../support/stores/object-storage.ts'

const freshMs = 60_000
const short = randomBytes(100_000)
/** Goes in three parts. */
const long = randomBytes(20 * 2 ** 20)

for (const [kind, bytes] of Object.entries({ short, long })) {
  void test(`bucket: a ${kind} file is stored, read back, listed and removed`, async (t) => {
    const { bucket, storage, fileOf, pathIn } = await opened(t)
    await bucket.put('a/file', fileOf(bytes), freshMs)
    assert.deepEqual([...storage.files.keys()], ['firn/a/file'])
    assert.ok(bytes.equals(storage.files.get('firn/a/file')?.bytes ?? Buffer.of()))
    const read = pathIn('read')
    await bucket.get('a/file', { path: read, check: async () => {} })
    assert.ok(bytes.equals(readFileSync(read)))
    for (const name of ['b', 'c', 'd', 'e']) await bucket.putText(`a/${name}`, name)
    const listed = await bucket.list('a/')
    assert.deepEqual([...listed.keys()], ['b', 'c', 'd', 'e', 'file'])
    assert.equal(listed.get('file')?.bytes, bytes.length)
    await bucket.remove('a/file')
    await bucket.remove('a/file')
    assert.equal(await bucket.find('a/file'), undefined)
  })

  const passing: readonly StorageFault[] = [
    'cut before',
    'cut after',
    'slow down',
    'skewed',
    'expired',
    'error behind success',
  ]
  for (const fault of passing)
    void test(`bucket: a ${kind} file is stored though each request meets once: ${fault}`, async (t) => {
      const { bucket, storage, fileOf } = await opened(t)
      const met = new Set<string>()
      storage.fault = (request) => {
        if (met.has(request) || (fault === 'error behind success' && !request.startsWith('POST')))
          return undefined
        met.add(request)
        return fault
      }
      await bucket.put('file', fileOf(bytes), freshMs)
      assert.ok(bytes.equals(storage.files.get('firn/file')?.bytes ?? Buffer.of()))
    })
}

void test('bucket: the file of another writer is the same file; one that is about to go is stored anew', async (t) => {
  const { bucket, storage, fileOf } = await opened(t)
  const path = fileOf(short)
  await bucket.put('file', path, freshMs)
  const first = storage.files.get('firn/file')
  await bucket.put('file', path, freshMs)
  assert.equal(storage.files.get('firn/file'), first)
  storage.files.set('firn/file', { bytes: short, storedMs: Date.now() - 2 * freshMs })
  await bucket.put('file', path, freshMs)
  assert.ok((storage.files.get('firn/file')?.storedMs ?? 0) > Date.now() - freshMs)
  // Who cut a file short is not believed.
  storage.files.set('firn/file', { bytes: short.subarray(1), storedMs: Date.now() })
  await bucket.put('file', path, freshMs)
  assert.ok(short.equals(storage.files.get('firn/file')?.bytes ?? Buffer.of()))
})

void test('bucket: a refusal for good, and a server that is gone, are errors within seconds', async (t) => {
  const { bucket, storage, fileOf, waitedMs } = await opened(t)
  storage.fault = () => 'slow down'
  await assert.rejects(
    bucket.put('file', fileOf(short), freshMs),
    isFault('store-failed', /503 \(SlowDown\)/),
  )
  assert.equal(storage.requests.length, 6)
  assert.ok(waitedMs() > 3_000 && waitedMs() < 15_000, `waited ${waitedMs()} ms`)
  storage.fault = () => 'denied'
  storage.requests.length = 0
  await assert.rejects(bucket.text('file'), {
    code: 'store-failed',
    message: `object storage refuses with 403 (AccessDenied): GET history/firn/file`,
  })
  assert.equal(storage.requests.length, 1)
  storage.close()
  await assert.rejects(bucket.text('file'), isFault('store-failed', /does not answer/))
})

void test('bucket: a clock that is an hour off is set by the answer, expired keys are fetched again', async (t) => {
  let renewed = 0
  const { bucket, storage } = await opened(t, {
    get: async () => ({ accessKeyId: `key ${renewed}`, secretAccessKey: 'secret' }),
    renew: () => renewed++,
  })
  storage.now = () => Date.now() + 3_600_000
  assert.equal(await bucket.putText('text', 'words'), 'words')
  assert.equal(renewed, 1)
  const before = storage.requests.length
  assert.equal(await bucket.text('text'), 'words')
  assert.equal(storage.requests.length, before + 1)
})

void test('bucket: the error of a request without keys says where keys come from', async (t) => {
  const storage = await startStorage()
  t.after(storage.close)
  const nobody = async (): Promise<never> => {
    throw new Fault('node-unreachable', 'nobody')
  }
  const world = { ...openWorld(), env: {}, transport: { request: nobody } }
  const credentials = { get: () => new CredentialSource(world).get(), renew: () => {} }
  const { bucket } = bucketOf(storage, { folder: '', credentials })
  await assert.rejects(bucket.find('file'), /^Fault: object storage needs keys: AWS_ACCESS_KEY_ID/)
  assert.deepEqual(storage.requests, [])
})

void test('bucket: its address says server, region and prefix, and what it does not know is refused', () => {
  assert.deepEqual(bucketAddress('s3://history/firn/mainnet?region=eu-central-1'), {
    url: 'https://s3.eu-central-1.amazonaws.com/history',
    region: 'eu-central-1',
    prefix: 'firn/mainnet/',
  })
  assert.deepEqual(bucketAddress('s3://history?endpoint=http://127.0.0.1:9000'), {
    url: 'http://127.0.0.1:9000/history',
    region: 'us-east-1',
    prefix: '',
  })
  const wrong = [
    's3://',
    's3://UPPER_CASE',
    's3://history?zone=a',
    's3://history/a b',
    's3://history?endpoint=host',
    's3://history?region=a%20b',
    's3://key:secret@history',
    's3://history/firn#4?endpoint=https://s3.example.org',
    's3://history?endpoint=https://one.example.org&endpoint=https://two.example.org',
    's3://history?region=eu-west-1&region=eu-west-2',
    's3://history?endpoint=https://key:secret@s3.example.org',
    's3://history?endpoint=https://s3.example.org?region=eu-west-1',
    'https://history.s3.amazonaws.com/firn',
    'gs://history/firn',
  ]
  for (const each of wrong)
    assert.throws(() => bucketAddress(each), isFault('bad-config', /index\.store/))
  for (const each of [...wrong, 'S3://history/firn']) assert.ok(isBucket(each), each)
  assert.equal(bucketAddress('S3://history/firn').prefix, 'firn/')
  for (const each of ['', 'history', '/mnt/history', './s3', 'C:\\history', 'C:/history'])
    assert.equal(isBucket(each), false, each)
})

async function opened(
  t: TestContext,
  credentials?: Parameters<typeof bucketOf>[1]['credentials'],
): Promise<{
  readonly bucket: Bucket
  readonly storage: ObjectStorage
  readonly pathIn: (name: string) => string
  readonly fileOf: (bytes: Uint8Array) => string
  readonly waitedMs: () => number
}> {
  const storage = await startStorage()
  t.after(storage.close)
  const folder = await freshFolder(t)
  let waited = 0
  const clock = {
    now: () => Date.now(),
    monotonic: () => waited,
    sleep: async (ms: number) => void (waited += ms),
  }
  const { bucket } = bucketOf(storage, { folder, clock, ...(credentials && { credentials }) })
  const pathIn = (name: string): string => join(folder, name)
  const fileOf = (bytes: Uint8Array): string => {
    writeFileSync(pathIn('file'), bytes)
    return pathIn('file')
  }
  return { bucket, storage, pathIn, fileOf, waitedMs: () => waited }
}

function isFault(code: FaultCode, words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code && words.test(error.message)
}

void test('bucket: a list that does not end is refused', async (t) => {
  const { bucket, storage } = await opened(t)
  for (const name of ['b', 'c', 'd']) await bucket.putText(`a/${name}`, name)
  storage.isEndless = true
  await assert.rejects(bucket.list('a/'), isFault('store-failed', /does not end/))
})

void test('bucket: without keys a request may be retried, and then uses those of a role or a file', async () => {
  const answers = new Map<string, string>()
  const requested: string[] = []
  const env: Record<string, string> = {}
  const source = new CredentialSource({
    env,
    clock: manualClock(0),
    files: { ...openWorld().files, read: async (path) => Buffer.from(answers.get(path) ?? '') },
    transport: {
      request: async ({ url }) => {
        requested.push(url)
        const text = answers.get(url)
        if (text === undefined) throw new Fault('node-unreachable', 'nobody')
        return { status: 200, headers: {}, body: Buffer.from(text) }
      },
    },
  })
  await assert.rejects(source.get(), (error) => error instanceof Fault && error.retryable)
  const machine = 'http://169.254.169.254/latest'
  const roles = `${machine}/meta-data/iam/security-credentials/`
  answers.set(`${machine}/api/token`, 'token')
  answers.set(roles, 'indexer')
  const role = {
    AccessKeyId: 'role',
    SecretAccessKey: 's',
    Token: 't',
    Expiration: '1970-01-02T00:00:00Z',
  }
  answers.set(`${roles}indexer`, JSON.stringify(role))
  assert.equal((await source.get()).accessKeyId, 'role')
  const before = requested.length
  assert.equal((await source.get()).sessionToken, 't')
  assert.equal(requested.length, before, 'keys that have not ended are kept')
  env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://127.0.0.1/keys'
  answers.set('http://127.0.0.1/keys', JSON.stringify({ ...role, AccessKeyId: 'container' }))
  source.renew()
  assert.equal((await source.get()).accessKeyId, 'container')
  env['AWS_SHARED_CREDENTIALS_FILE'] = '/keys'
  env['AWS_PROFILE'] = 'firn'
  const profile = (id: string): string => `aws_access_key_id = ${id}\naws_secret_access_key=s\n`
  answers.set('/keys', `[default]\n${profile('other')}\n[firn]\n${profile('file')}`)
  source.renew()
  assert.equal((await source.get()).accessKeyId, 'file')
  Object.assign(env, { AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 's' })
  source.renew()
  assert.equal((await source.get()).accessKeyId, 'own')
})
