import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Clock } from '../../core/world.ts'
import type { StageStatus } from '../../indexing/stream/stage.ts'
import { LeaseWatch } from './lease-watch.ts'
import { chainsCheck, diskCheck } from './readiness.ts'

const stage: StageStatus = {
  stage: 'blocks',
  state: 'live',
  indexedHeight: 40,
  headHeight: 40,
  blocksPerSecond: 0,
}

/** A check of one chain whose stage and time a test sets. */
function checked(untilLive = false, lived = new Set<string>()) {
  let now = 0
  let stages: readonly StageStatus[] = [stage]
  const clock: Clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const check = chainsCheck({
    indexed: () => [{ key: 'demo', network: 'fuji', name: 'Demo', endpoints: [], stages }],
    served: () => [],
    stores: async () => [],
    engine: 'SQLite',
    leases: new LeaseWatch(clock),
    damaged: new Map(),
    lived,
    clock,
    maxLagMs: 60_000,
    untilLive,
  })
  return async (atMs: number, ...given: Partial<StageStatus>[]): Promise<unknown> => {
    now = atMs
    stages = given.map((one) => ({ ...stage, ...one }))
    return check(new AbortController().signal)
  }
}

const syncing = { state: 'syncing', headHeight: 90 } as const

void test('readiness: a chain that was live may be behind for the set time, not longer', async () => {
  const at = checked()
  assert.deepEqual(await at(0, {}), { demo: { blocks: 'live at 40' } })
  assert.deepEqual(await at(60_000, syncing), { demo: { blocks: 'syncing at 40 of 90' } })
  const reason = 'a node does not answer'
  await assert.rejects(at(60_001, { ...syncing, reason }), {
    message: `demo blocks behind for 60 s: ${reason}`,
  })
  assert.deepEqual(await at(70_000, {}), { demo: { blocks: 'live at 40' } })
})

void test('readiness: a chain that another process indexes may be behind here', async () => {
  const at = checked()
  await at(0, {})
  const given = await at(90_000, { ...syncing, standsBy: true })
  assert.deepEqual(given, { demo: { blocks: 'another process indexes it' } })
})

void test('readiness: a chain that was live in an earlier process has the set time from the start on', async () => {
  const lived = new Set<string>()
  await checked(false, lived)(0, {})
  assert.deepEqual([...lived], ['demo blocks'])
  const at = checked(false, lived)
  assert.deepEqual(await at(60_000, syncing), { demo: { blocks: 'syncing at 40 of 90' } })
  await assert.rejects(at(60_001, syncing), { message: 'demo blocks behind for 60 s' })
})

void test('readiness: a first backfill is reported and stops nothing unless that is set', async () => {
  const at = checked()
  assert.deepEqual(await at(9_000_000, syncing), { demo: { blocks: 'syncing at 40 of 90' } })
  await assert.rejects(checked(true)(0, syncing), { message: 'demo blocks was not live yet' })
})

void test('readiness: a stopped stage is named with its reason, one that is off is listed', async () => {
  const at = checked()
  const off = { stage: 'traces', state: 'off', reason: 'switched off', indexedHeight: -1 } as const
  assert.deepEqual(await at(0, {}, { ...off, headHeight: -1 }), {
    demo: { blocks: 'live at 40', traces: 'off: switched off' },
  })
  await assert.rejects(at(1, { state: 'stopped', reason: 'another history' }), {
    message: 'demo blocks stopped: another history',
  })
})

void test('readiness: names that come late hold nothing up', async () => {
  const at = checked()
  await at(0, { stage: 'tokens' })
  assert.deepEqual(await at(900_000, { stage: 'tokens', state: 'syncing', headHeight: 41 }), {
    demo: { tokens: 'syncing at 40 of 41' },
  })
})

void test('readiness: a disk without room for a batch is full, a small one with a hundredth of it is not', () => {
  const mebibyte = 2 ** 20
  const at = (freeMiB: number, sizeMiB: number): unknown => {
    const room = { bavail: freeMiB * 256, blocks: sizeMiB * 256, bsize: mebibyte / 256 }
    return diskCheck('/data', () => room)(new AbortController().signal)
  }
  assert.deepEqual(at(64, 100_000), { freeBytes: 64 * mebibyte })
  assert.throws(() => at(63, 100_000), {
    code: 'store-full',
    message: `the disk of the data folder is full: ${63 * mebibyte} bytes free`,
  })
  assert.throws(() => at(0, 100_000), { code: 'store-full' })
  assert.deepEqual(at(10, 1_000), { freeBytes: 10 * mebibyte })
  assert.throws(() => at(9, 1_000), { code: 'store-full' })
})
