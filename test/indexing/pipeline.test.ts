/** Order, bounds and endings of the pipeline, on a virtual clock. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import { Pipeline, type PipelineOptions } from '../../src/indexing/stream/pipeline.ts'
import type { HeightRange } from '../../src/source/evm-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { drawsOf } from '../support/processes/draws.ts'
import { virtualClock, type VirtualClock } from '../support/processes/virtual-clock.ts'

const bytesPerBlock = 1_000

void test('pipeline: replies in any order are committed in order, each height once', async () => {
  const clock = virtualClock()
  const committed: number[] = []
  const draws = drawsOf(7)
  const pipeline = made(clock, {
    fetch: async (range) => {
      await clock.sleep(draws.below(900))
      if (draws.chance(0.2)) throw new Fault('node-unreachable', 'not now')
      // Now and then only a part of what was requested.
      const until = draws.chance(1 / 3) ? range.from + 1 : range.until
      return { from: range.from, until }
    },
    apply: async ({ from, until }) => {
      await clock.sleep(50)
      for (let height = from; height < until; height++) committed.push(height)
    },
  })
  await until(clock, pipeline, 499)
  assert.deepEqual(
    committed,
    Array.from({ length: 500 }, (_, height) => height),
  )
})

void test('pipeline: blocks that later ones prove are handed on far behind, blocks that they refute are fetched again', async () => {
  const clock = virtualClock()
  const committed: number[] = []
  const unlinked: number[] = []
  let proven = -1
  let refuted = [95, 300]
  const pipeline = made(clock, {
    fetch: async (range) => {
      await clock.sleep(10)
      return range
    },
    link: ({ until: end }) => {
      // Blocks are proven by those that come 20 later.
      const wrong = refuted.find((height) => height <= end - 20)
      if (wrong === undefined) {
        proven = end - 20
        return undefined
      }
      refuted = refuted.filter((height) => height !== wrong)
      return { reason: 'refuted', from: wrong }
    },
    unlinked: ({ from }) => void unlinked.push(from),
    heldFrom: () => proven + 1,
    apply: async ({ from, until: end }) => {
      assert.ok(end > 480 || end - 1 <= proven, `${end} is handed on with ${proven} proven`)
      for (let height = from; height < end; height++) committed.push(height)
    },
  })
  await until(clock, pipeline, 499)
  assert.deepEqual(unlinked, [90, 300])
  assert.deepEqual(
    committed,
    Array.from({ length: 500 }, (_, height) => height),
  )
})

void test('pipeline: a block that is refuted after it was handed on ends it', async () => {
  const pipeline = made(virtualClock(), {
    link: ({ from }) => (from === 90 ? { reason: 'refuted', from: 5 } : undefined),
  })
  pipeline.setHead(100)
  await assert.rejects(pipeline.run(new AbortController().signal), {
    code: 'rows-refuted',
    detail: { from: 5 },
  })
})

void test('pipeline: a writer that stands still bounds what is fetched', async () => {
  const clock = virtualClock()
  let fetched = 0
  const pipeline = made(clock, {
    fetch: async (range) => {
      await clock.sleep(10)
      fetched += range.until - range.from
      return range
    },
    apply: () => new Promise(() => {}),
    limits: { bufferBytes: 100_000, batchBytes: 20_000 },
  })
  const stopping = new AbortController()
  pipeline.setHead(1_000_000)
  const running = pipeline.run(stopping.signal)
  await clock.sleep(60_000)
  const held = fetched * bytesPerBlock
  assert.ok(held >= 90_000 && held <= 200_000, `held: ${held}`)
  stopping.abort()
  await running
})

void test('pipeline: far behind commits are large, at the head each block comes at once', async () => {
  const clock = virtualClock()
  const sizes: number[] = []
  const pipeline = made(clock, {
    fetch: async (range) => {
      await clock.sleep(10)
      return range
    },
    apply: async ({ from, until: end }) => {
      sizes.push(end - from)
      await clock.sleep(20)
    },
    limits: { bufferBytes: 1_000_000, batchBytes: 100_000 },
  })
  const stopping = new AbortController()
  pipeline.setHead(2_000)
  const running = pipeline.run(stopping.signal)
  while (pipeline.committed < 2_000) await clock.sleep(100)
  assert.ok(sizes.length < 60, `commits: ${sizes.length}`)
  for (let head = 2_001; head <= 2_010; head++) {
    const before = clock.elapsedMs()
    pipeline.setHead(head)
    while (pipeline.committed < head) await clock.sleep(5)
    assert.ok(clock.elapsedMs() - before < 100, `waited ${clock.elapsedMs() - before} ms`)
  }
  assert.equal(pipeline.status().state, 'live')
  stopping.abort()
  await running
})

for (const [name, parts] of [
  ['fetch', { fetch: () => Promise.reject(new Fault('node-refused', 'never')) }],
  ['apply', { apply: () => Promise.reject(new Fault('state-violation', 'never')) }],
] as const)
  void test(`pipeline: a fault of ${name} that time cannot heal ends it with that error`, async () => {
    const clock = virtualClock()
    const pipeline = made(clock, parts)
    pipeline.setHead(100)
    await assert.rejects(pipeline.run(new AbortController().signal), Fault)
    assert.equal(pipeline.status().state, 'stopped')
    assert.equal(pipeline.status().reason, 'never')
    assert.equal(pipeline.status().indexedHeight, -1)
  })

void test('pipeline: speed and time left follow the commits', async () => {
  const clock = virtualClock()
  const pipeline = made(clock, {
    window: () => 1,
    fetch: async (range) => {
      await clock.sleep(100)
      return range
    },
  })
  const stopping = new AbortController()
  pipeline.setHead(100_000)
  const running = pipeline.run(stopping.signal)
  const ticking = async (): Promise<void> => {
    for (let second = 0; second < 60; second++) {
      await clock.sleep(1_000)
      pipeline.tick()
    }
  }
  await ticking()
  const { blocksPerSecond, etaSeconds, indexedHeight } = pipeline.status()
  assert.ok(Math.abs(blocksPerSecond - 100) < 10, `speed ${blocksPerSecond}`)
  const left = (100_000 - indexedHeight) / 100
  assert.ok(Math.abs((etaSeconds ?? 0) - left) < left / 10, `eta ${etaSeconds} of ${left}`)
  stopping.abort()
  await running
})

/** A pipeline over ranges themselves: ten blocks a fetch, eight fetches side by side. */
function made(
  clock: VirtualClock,
  parts: Partial<PipelineOptions<HeightRange>>,
): Pipeline<HeightRange> {
  return new Pipeline<HeightRange>({
    name: 'blocks',
    from: 0,
    unit: () => 10,
    window: () => 8,
    fetch: async (range) => range,
    link: () => undefined,
    merge: (batches) => ({ from: batches[0]?.from ?? 0, until: batches.at(-1)?.until ?? 0 }),
    sizeOf: ({ from, until: end }) => (end - from) * bytesPerBlock,
    apply: async () => {},
    changed: () => {},
    clock,
    log: silentLog,
    limits: { bufferBytes: 1_000_000, batchBytes: 50_000 },
    ...parts,
  })
}

async function until(
  clock: VirtualClock,
  pipeline: Pipeline<HeightRange>,
  head: number,
): Promise<void> {
  const stopping = new AbortController()
  pipeline.setHead(head)
  const running = pipeline.run(stopping.signal)
  while (pipeline.committed < head) {
    assert.ok(clock.elapsedMs() < 3_600_000, JSON.stringify(pipeline.status()))
    await clock.sleep(100)
    pipeline.tick()
  }
  stopping.abort()
  await running
}
