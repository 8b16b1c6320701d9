import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'

import { createDeadlines } from './deadlines.ts'

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() }

void test('deadlines: a caller who goes away aborts its own request only', () => {
  const deadlineOf = createDeadlines(clock)
  const [one, other] = [deadlineOf(1_000), deadlineOf(1_000)]
  one.abandon()
  assert.equal(one.signal.aborted, true)
  assert.equal(other.signal.aborted, false)
})

void test('deadlines: what still runs when the time is over is aborted as timed out', async () => {
  const deadlineOf = createDeadlines(clock)
  const [running, done, longer] = [deadlineOf(1), deadlineOf(1), deadlineOf(60_000)]
  done.end()
  await once(running.signal, 'abort')
  const reason: unknown = running.signal.reason
  assert.ok(reason instanceof Error && reason.name === 'TimeoutError')
  assert.equal(done.signal.aborted, false)
  assert.equal(longer.signal.aborted, false)
})
