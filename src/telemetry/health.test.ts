import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Clock } from '../core/world.ts'
import { createGauges, gaugeTable } from './gauges.ts'
import { createHealth } from './health.ts'
import { silentLog } from './log.ts'

/** Time that stands still; sleeps end when the test says so. */
function handClock(): Clock & { advance: (ms: number) => void } {
  let time = 0
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return {
    now: () => time,
    monotonic: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.add({ until: time + ms, wake: resolve })
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      }),
    advance: (ms) => {
      time += ms
      for (const sleeper of sleepers) if (sleeper.until <= time) sleeper.wake()
    },
  }
}

void test('health: not yet run is unhealthy, a check that returns is healthy', async () => {
  const health = createHealth({ clock: handClock(), log: silentLog })
  health.register('database', () => undefined)
  health.register('C', () => ({ lag: 3 }))
  assert.deepEqual(health.answer('health'), {
    checks: { C: { error: 'not yet run' }, database: { error: 'not yet run' } },
    healthy: false,
  })
  await health.runAll()
  const stamp = { timestamp: '1970-01-01T00:00:00.000Z', duration: 0 }
  assert.deepEqual(health.answer('health'), {
    checks: { C: { message: { lag: 3 }, ...stamp }, database: stamp },
    healthy: true,
  })
})

void test('health: failures are counted from the first one until it recovers', async () => {
  const clock = handClock()
  const health = createHealth({ clock, log: silentLog })
  let broken = true
  health.register('disk', () => {
    if (broken) throw new Error('disk is full')
  })
  await health.runAll()
  clock.advance(1_000)
  await health.runAll()
  assert.deepEqual(health.answer('readiness').checks['disk'], {
    error: 'disk is full',
    timestamp: '1970-01-01T00:00:01.000Z',
    duration: 0,
    contiguousFailures: 2,
    timeOfFirstFailure: '1970-01-01T00:00:00.000Z',
  })
  assert.equal(health.answer('readiness').healthy, false)
  broken = false
  await health.runAll()
  assert.equal(health.answer('readiness').checks['disk']?.contiguousFailures, undefined)
  assert.equal(health.answer('readiness').healthy, true)
})

void test('health: a check that hangs is stopped and counts as failed', async () => {
  const clock = handClock()
  const health = createHealth({ clock, log: silentLog })
  const { promise: started, resolve: start } = Promise.withResolvers<AbortSignal>()
  health.register('stuck', (signal) => {
    start(signal)
    return new Promise(() => undefined)
  })
  const run = health.runAll()
  const signal = await started
  clock.advance(4_000)
  await run
  assert.equal(signal.aborted, true)
  assert.equal(health.answer('health').checks['stuck']?.error, 'check took too long')
})

void test('health: kinds and tags choose checks, and liveness has none', async () => {
  const health = createHealth({ clock: handClock(), log: silentLog })
  health.register('whole', () => undefined)
  health.register('C', () => undefined, { tags: ['subnet'], kinds: ['health'] })
  await health.runAll()
  const names = (kind: 'health' | 'readiness' | 'liveness', tags?: string[]): string[] =>
    Object.keys(health.answer(kind, tags).checks)
  assert.deepEqual(names('health'), ['C', 'whole'])
  assert.deepEqual(names('readiness'), ['whole'])
  assert.deepEqual(names('liveness'), [])
  // As a real node answers `?tag=nope`: what carries no tag stays.
  assert.deepEqual(names('health', ['nope']), ['whole'])
  assert.deepEqual(names('health', ['nope', 'subnet']), ['C', 'whole'])
})

void test('gauges: every row has a proper name and is in the text', async () => {
  const gauges = createGauges()
  gauges.onRead(() => gauges.set('firn_process_resident_bytes', 42, {}))
  gauges.set('firn_index_height', 7, { chain: 'C', stage: 'rows' })
  gauges.add('firn_node_requests_total', 2, { base: 'admin', status: '200' })
  gauges.observe('firn_node_request_seconds', 0.2, { base: 'admin' })
  const text = await gauges.text()
  for (const [name, row] of Object.entries(gaugeTable)) {
    assert.match(name, /^firn_[a-z]+(_[a-z]+)*$/)
    assert.equal(name.endsWith('_total'), row.kind === 'counter', name)
    assert.ok(text.includes(`# TYPE ${name} ${row.kind}`), name)
  }
  for (const line of [
    'firn_index_height{chain="C",stage="rows"} 7',
    'firn_node_requests_total{base="admin",status="200"} 2',
    'firn_node_request_seconds_bucket{le="0.25",base="admin"} 1',
    'firn_process_resident_bytes 42',
  ]) {
    assert.ok(text.includes(`${line}\n`), line)
  }
})
