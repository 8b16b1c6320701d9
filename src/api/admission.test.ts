import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../core/fault.ts'
import type { Clock, Random } from '../core/world.ts'
import { createAdmission, readRateLimit } from './admission.ts'
import { createKey, findKey } from './api-keys.ts'

let seed = 0
const random: Random = {
  bytes: (size) =>
    Uint8Array.from({ length: size }, () => (seed = (seed * 1_103 + 12_345) % 65_536) >>> 8),
  number: () => 0,
}
const now = { ms: 1_700_000_000_000 }
const clock: Clock = { now: () => now.ms, monotonic: () => now.ms, sleep: () => Promise.resolve() }
const request = { headers: {}, query: {}, address: '127.0.0.1', weight: 20 }

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'admitted'
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error.code
  }
}

void test('API key: the made key is found, any other is not, a revoked one never', () => {
  const { key, stored } = createKey(random, 'wallet', 1)
  assert.match(key, /^avk_[A-Za-z0-9]{8}_[A-Za-z0-9]{36}$/)
  assert.equal(findKey([stored], key), stored)
  for (let at = 0; at < key.length; at++) {
    const changed = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1)
    assert.equal(findKey([stored], changed), undefined, `letter ${at}`)
  }
  assert.equal(findKey([{ ...stored, revokedAt: 2 }], key), undefined)
  assert.ok(!JSON.stringify(stored).includes(key.slice(13)), 'the secret is not stored')
})

void test('admission: every header an official client sends carries the key', () => {
  const { key, stored } = createKey(random, 'wallet', 1)
  const admit = createAdmission({
    keysRequired: true,
    keys: () => [stored],
    limit: undefined,
    clock,
  })
  assert.equal(
    codeOf(() => admit(request)),
    'key-required',
  )
  for (const given of [
    { headers: { 'x-service-api-key': key } },
    { headers: { 'x-glacier-api-key': key } },
    { query: { rltoken: key } },
  ]) {
    assert.equal(
      codeOf(() => admit({ ...request, ...given })),
      'admitted',
      JSON.stringify(given).slice(0, 40),
    )
  }
  assert.equal(
    codeOf(() => admit({ ...request, headers: { 'x-service-api-key': 'x' } })),
    'key-required',
  )
})

void test('admission: units are counted by minute and day, and the headers tell', () => {
  const limit = readRateLimit({ perMinute: 50, perDay: 90 })
  const admit = createAdmission({ keysRequired: false, keys: () => [], limit, clock })
  assert.deepEqual(admit(request), {
    'ratelimit-policy': '50;w=60, 90;w=86400',
    'ratelimit-limit': '50',
    'ratelimit-remaining': '30',
  })
  assert.equal(
    codeOf(() => admit(request)),
    'admitted',
  )
  assert.equal(
    codeOf(() => admit(request)),
    'rate-limited',
  )
  assert.equal(
    codeOf(() => admit({ ...request, address: '127.0.0.2' })),
    'admitted',
  )
  now.ms += 60_000
  assert.equal(
    codeOf(() => admit(request)),
    'admitted',
  )
  assert.equal(
    codeOf(() => admit(request)),
    'rate-limited',
    'the day is used up',
  )
  assert.equal(readRateLimit('off'), undefined)
  assert.throws(() => readRateLimit('some'), Fault)
})
