import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { createSemaphore } from './semaphore.ts'
import { createWaits, waitOn } from './waits.ts'

void test('semaphore: never more at once than permits, in the order they came', async () => {
  const semaphore = createSemaphore({ name: 'writer', permits: 2, waits: createWaits(() => 0) })
  const began: number[] = []
  const ends: (() => void)[] = []
  let under = 0
  const all = [0, 1, 2, 3, 4].map((id) =>
    semaphore.run(async () => {
      began.push(id)
      under++
      assert.ok(under <= 2)
      await new Promise<void>((resolve) => ends.push(resolve))
      under--
      return id
    }),
  )
  for (let turn = 0; turn < 5; turn++) {
    while (ends.length === 0) await Promise.resolve()
    ends.shift()?.()
  }
  assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4])
  assert.deepEqual(began, [0, 1, 2, 3, 4])
})

void test('semaphore: a failure gives the turn back', async () => {
  const semaphore = createSemaphore({ name: 'writer', permits: 1, waits: createWaits(() => 0) })
  await assert.rejects(
    semaphore.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await semaphore.run(() => 1), 1)
})

void test('semaphore: giving a permit back twice frees one place only', async () => {
  const semaphore = createSemaphore({ name: 'writer', permits: 1, waits: createWaits(() => 0) })
  const done = await semaphore.acquire()
  done()
  done()
  await semaphore.acquire()
  let second = false
  void semaphore.acquire().then(() => (second = true))
  await new Promise(setImmediate)
  assert.equal(second, false)
})

void test('semaphore: who leaves while waiting takes no turn, and too many are refused', async () => {
  const semaphore = createSemaphore({
    name: 'writer',
    permits: 1,
    waits: createWaits(() => 0),
    maxWaiting: 2,
  })
  const done = await semaphore.acquire()
  const leaving = new AbortController()
  const left = semaphore.acquire(leaving.signal)
  const next = semaphore.run(() => 'next')
  await assert.rejects(
    semaphore.acquire(),
    (error) => error instanceof Fault && error.code === 'overloaded',
  )
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await assert.rejects(semaphore.acquire(leaving.signal), /gone/)
  assert.equal(semaphore.waiting(), 1)
  done()
  assert.equal(await next, 'next')
})

void test('waits: ten waiters on one holder add up, charged to who lets them go', async () => {
  let time = 0
  const seen: number[] = []
  const waits = createWaits(
    () => time,
    (_lock, delayMs) => seen.push(delayMs),
  )
  const semaphore = createSemaphore({ name: 'writer', permits: 1, waits })
  const hold = await semaphore.acquire()
  const waiters = Array.from({ length: 10 }, () =>
    semaphore.run(() => {
      time += 20
    }),
  )
  time += 20
  function theHolder(): void {
    hold()
  }
  theHolder()
  await Promise.all(waiters)
  // 20 for the first, 40 for the second, and so on to 200.
  assert.deepEqual(seen, [20, 40, 60, 80, 100, 120, 140, 160, 180, 200])
  const samples = waits.samples()
  assert.equal(
    samples.reduce((sum, sample) => sum + sample.delayMs, 0),
    1_100,
  )
  assert.equal(
    samples.reduce((sum, sample) => sum + sample.count, 0),
    10,
  )
  assert.ok(samples.every(({ lock }) => lock === 'writer'))
  assert.ok(samples.some(({ stack, delayMs }) => stack.includes('theHolder') && delayMs === 20))
})

void test('waits: nothing is recorded when nobody waits, nor below a microsecond', async () => {
  const waits = createWaits(() => 5)
  const semaphore = createSemaphore({ name: 'writer', permits: 2, waits })
  await Promise.all([semaphore.run(() => 1), semaphore.run(() => 2), semaphore.run(() => 3)])
  waits.record('writer', 0.0005)
  assert.deepEqual(waits.samples(), [])
})

void test('waits: beyond so many stacks a second the sums stay exact', () => {
  const waits = createWaits(() => 0)
  for (let wait = 0; wait < 1_000; wait++) waits.record('pool', 2)
  const samples = waits.samples()
  assert.equal(
    samples.reduce((sum, { count }) => sum + count, 0),
    1_000,
  )
  assert.equal(
    samples.reduce((sum, { delayMs }) => sum + delayMs, 0),
    2_000,
  )
})

void test('waits: what another thread does for us is charged to who awaited it, also when it fails', async () => {
  let time = 0
  const waits = createWaits(() => time)
  const takes = async (ms: number): Promise<number> => {
    await Promise.resolve()
    time += ms
    if (ms > 20) throw new Error('too slow')
    return ms
  }
  async function theCaller(ms: number): Promise<number> {
    return await waitOn(waits, 'writer', takes(ms))
  }
  assert.equal(await theCaller(20), 20)
  await assert.rejects(theCaller(30), /too slow/)
  const samples = waits.samples()
  assert.equal(
    samples.reduce((sum, { delayMs }) => sum + delayMs, 0),
    50,
  )
  assert.ok(samples.every(({ stack }) => stack.includes('theCaller')))
})
