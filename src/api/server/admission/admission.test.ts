import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../../core/fault.ts'
import type { Clock, Random } from '../../../core/world.ts'
import { silentLog } from '../../../telemetry/log.ts'
import { createAdmission, type AdmissionOptions } from './admission.ts'
import { createKey, findKey } from './api-keys.ts'
import { readRateLimit, readTiers } from './rate-limit.ts'
import { createUseCounter } from './use-counter.ts'

let seed = 0
const random: Random = {
  bytes: (size) =>
    Uint8Array.from({ length: size }, () => (seed = (seed * 1_103 + 12_345) % 65_536) >>> 8),
  number: () => 0,
}
const now = { ms: 1_700_000_000_000 }
const clock: Clock = { now: () => now.ms, monotonic: () => now.ms, sleep: () => Promise.resolve() }
const request = { headers: {}, query: {}, address: '127.0.0.1', weight: 20 }

const admission = (parts: Partial<AdmissionOptions>) =>
  createAdmission({
    keysRequired: false,
    keys: () => [],
    limit: undefined,
    uses: createUseCounter({ clock, log: silentLog }),
    clock,
    ...parts,
  })

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
  const admit = admission({ keysRequired: true, keys: () => [stored] })
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

void test('admission: units are counted by minute and day, and the headers say so', () => {
  const limit = readRateLimit({ perMinute: 50, perDay: 90 })
  const admit = admission({ limit })
  const policy = { 'ratelimit-policy': '50;w=60, 90;w=86400' }
  const minute = { ...policy, 'ratelimit-limit': '50', 'ratelimit-reset': '40' }
  // 1,700,000,000 s are 80,000 s into their day.
  const day = { ...policy, 'ratelimit-limit': '90', 'ratelimit-reset': '6280' }
  assert.deepEqual(admit(request), { ...minute, 'ratelimit-remaining': '30' })
  assert.deepEqual(admit(request), { ...minute, 'ratelimit-remaining': '10' })
  assert.deepEqual(
    refusal(() => admit(request)),
    { ...minute, 'ratelimit-remaining': '10', reset: 40 },
  )
  assert.equal(
    codeOf(() => admit({ ...request, address: '127.0.0.2' })),
    'admitted',
  )
  now.ms += 60_000
  assert.deepEqual(admit(request), { ...minute, 'ratelimit-remaining': '30' })
  assert.deepEqual(admit(request), { ...minute, 'ratelimit-remaining': '10' })
  now.ms += 60_000
  assert.deepEqual(
    refusal(() => admit(request)),
    { ...day, 'ratelimit-remaining': '10', reset: 6_280 },
    'the day is used up',
  )
  assert.equal(readRateLimit('off'), undefined)
  for (const wrong of [
    'some',
    { perMinute: 0 },
    { perMinute: '5' },
    { perMinute: 1, perHour: 1 },
    [],
    null,
  ])
    assert.throws(() => readRateLimit(wrong), Fault, JSON.stringify(wrong))
})

void test('admission: a key nobody made is ignored only where nothing depends on keys', () => {
  const { key, stored } = createKey(random, 'wallet', 1)
  const sent = { ...request, headers: { 'x-service-api-key': 'avk_of_the_service_before' } }
  const limit = readRateLimit({ perMinute: 50 })
  const revoked = [{ ...stored, revokedAt: 2 }]
  for (const [parts, code] of [
    [{}, 'admitted'],
    [{ keysRequired: true }, 'key-required'],
    [{ limit }, 'key-required'],
    [{ keys: () => [stored] }, 'key-required'],
    [{ keys: () => revoked }, 'key-required'],
  ] as const)
    assert.equal(
      codeOf(() => admission(parts)(sent)),
      code,
      Object.keys(parts).join(),
    )
  const mine = { ...request, headers: { 'x-service-api-key': key } }
  assert.equal(
    codeOf(() => admission({ keys: () => revoked })(mine)),
    'key-required',
  )
})

void test('admission: a key has the limit of its own, else that of its tier, else the general one', async () => {
  const tiers = readTiers({ pro: { perMinute: 100, perDay: 200 } })
  const general = readRateLimit({ perMinute: 20 })
  const { key, stored } = createKey(random, 'wallet', 1)
  const left = async (more: object): Promise<string | undefined> =>
    (
      await admission({ keys: () => [{ ...stored, ...more }], tiers, limit: general })({
        ...request,
        headers: { 'x-service-api-key': key },
      })
    )?.['ratelimit-remaining']
  assert.equal(await left({}), '0')
  assert.equal(await left({ tier: 'pro' }), '80')
  assert.equal(await left({ tier: 'gone' }), '0', 'a tier that was taken out of the settings')
  assert.equal(await left({ tier: 'pro', limit: { perMinute: 30, perDay: 1_000 } }), '10')
  assert.throws(() => readTiers({ pro: { perMinute: -1 } }), /api\.tiers must hold/)
  assert.throws(() => readTiers([]), /api\.tiers must hold/)
})

/** The detail of a refusal, which becomes the headers of the 429. */
function refusal(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, 'rate-limited')
    return { ...error.detail }
  }
  return undefined
}
