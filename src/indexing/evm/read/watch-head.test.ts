import assert from 'node:assert/strict'
import { test } from 'node:test'

import { virtualClock } from '../../../../test/support/processes/virtual-clock.ts'
import { Fault } from '../../../core/fault.ts'
import { silentLog } from '../../../telemetry/log.ts'
import { watchHead } from './watch-head.ts'

type Watched = {
  /** Milliseconds from the moment a block was there to that at which it was known, in order. */
  readonly waits: readonly number[]
  /** Questions in the last ten seconds. */
  readonly reads: number
  readonly lost: readonly string[]
}

/** Watches a node whose newest height at a time is `headAt` for `untilMs`. */
async function watched(
  headAt: (atMs: number) => number,
  untilMs: number,
  committed: (head: number) => number = (head) => head,
): Promise<Watched> {
  const clock = virtualClock()
  const cameAt = new Map<number, number>()
  for (let at = 0; at <= untilMs; at++) {
    const height = headAt(at)
    if (!cameAt.has(height)) cameAt.set(height, at)
  }
  let head = -1
  const waits: number[] = []
  const questions: number[] = []
  const lost: string[] = []
  const ending = new AbortController()
  const watching = watchHead(
    {
      source: {
        headHeight: async () => {
          questions.push(clock.monotonic())
          const height = headAt(clock.monotonic())
          if (height < 0) throw new Fault('node-unreachable', 'away')
          return height
        },
      },
      blocks: {
        get committed() {
          return committed(head)
        },
        setHead: (height) => {
          if (height > head) waits.push(clock.monotonic() - (cameAt.get(height) ?? 0))
          head = height
        },
        loseHead: (reason) => void lost.push(reason),
      },
      looked: () => {},
      clock,
      log: silentLog,
    },
    ending.signal,
  )
  await clock.sleep(untilMs)
  ending.abort()
  await watching
  return { waits, reads: questions.filter((at) => at >= untilMs - 10_000).length, lost }
}

function share(waits: readonly number[], part: number): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * part)] ?? 0
}

for (const everyMs of [200, 1_000, 2_000])
  void test(`head: a block each ${everyMs} ms is known within 100 ms, half of them within 60`, async () => {
    const { waits, reads } = await watched((at) => Math.floor(at / everyMs), 120_000)
    // The rhythm is not known at first.
    const known = waits.slice(5)
    assert.ok(known.length > 50, `${known.length} blocks`)
    assert.ok(share(known, 0.5) <= 60, `half within ${share(known, 0.5)} ms`)
    assert.ok(share(known, 0.99) <= 100, `most within ${share(known, 0.99)} ms`)
    assert.ok(reads <= 300, `${reads} questions in ten seconds`)
  })

void test('head: blocks without any rhythm are known within a quarter of a second', async () => {
  let seed = 7
  const times: number[] = []
  for (let at = 0; at < 120_000; times.push(at)) {
    seed = (seed * 48_271) % 2_147_483_647
    at += 100 + (seed % 4_000)
  }
  const { waits } = await watched((at) => times.filter((time) => time <= at).length, 110_000)
  assert.ok(waits.length > 30)
  assert.ok(Math.max(...waits.slice(2)) <= 250, `${Math.max(...waits.slice(2))} ms`)
})

void test('head: after a silence the rhythm is found again within ten blocks', async () => {
  // A hundred blocks, ten minutes without any, and a hundred more.
  const headAt = (at: number): number => {
    const silent = Math.min(at, 20_000) + Math.max(0, at - 620_000)
    return Math.floor(silent / 200)
  }
  const { waits } = await watched(headAt, 639_000)
  assert.ok(waits.length > 180, `${waits.length} blocks`)
  const again = waits.slice(-80)
  assert.ok(Math.max(...again) <= 100, `${Math.max(...again)} ms`)
})

void test('head: of a chain that stands still four questions a second', async () => {
  const { reads } = await watched((at) => Math.min(100, Math.floor(at / 200)), 120_000)
  assert.ok(reads >= 38 && reads <= 42, `${reads} in ten seconds`)
})

void test('head: far behind it is read once a second, and so is a node that is away', async () => {
  const far = await watched(
    (at) => 10_000 + Math.floor(at / 200),
    60_000,
    () => 0,
  )
  assert.ok(far.reads >= 9 && far.reads <= 11, `${far.reads} in ten seconds`)
  const away = await watched(() => -1, 60_000)
  assert.ok(away.reads >= 9 && away.reads <= 11, `${away.reads} in ten seconds`)
  assert.ok(away.lost.length > 0)
})
