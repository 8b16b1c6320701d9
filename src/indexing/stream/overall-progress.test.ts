import assert from 'node:assert/strict'
import { test } from 'node:test'

import { overallOf, SteadyProgress } from './overall-progress.ts'
import type { StageStatus } from './stage.ts'

const at = (
  stage: string,
  indexedHeight: number,
  more: Partial<StageStatus> = {},
): StageStatus => ({
  stage,
  state: 'syncing',
  indexedHeight,
  headHeight: 999,
  blocksPerSecond: 10,
  ...more,
})

void test('progress over all stages: blocks done and traces begun is about half, not the beginning', () => {
  const blocks = at('blocks', 999, { state: 'live', etaSeconds: 0 })
  const stages = [blocks, at('traces', -1, { headHeight: -1, blocksPerSecond: 0 })]
  assert.deepEqual(overallOf(stages), { share: 0.5, stage: 'traces', etaSeconds: undefined })
  const later = overallOf([blocks, at('traces', 499, { etaSeconds: 50 })])
  assert.deepEqual(later, { share: 0.75, stage: 'traces', etaSeconds: 50 })
})

void test('progress over all stages: the slowest stage is named, and its time is given', () => {
  const stages = [at('P', 899, { etaSeconds: 10 }), at('X', 99, { etaSeconds: 90 })]
  const { stage, etaSeconds } = overallOf(stages)
  assert.deepEqual({ stage, etaSeconds }, { stage: 'X', etaSeconds: 90 })
  // One that stands has the longest way, and nobody knows how long it is.
  const standing = overallOf([...stages, at('C', 5, { etaSeconds: 0, blocksPerSecond: 0 })])
  assert.equal(standing.stage, 'C')
  assert.equal(standing.etaSeconds, undefined)
})

void test('progress over all stages: 1 only when all are done, off and stopped stages are not waited for', () => {
  const live = at('blocks', 999, { state: 'live' })
  assert.deepEqual(overallOf([live, at('traces', -1, { state: 'off' })]), { share: 1 })
  assert.equal(overallOf([live, at('traces', 998)]).share, 0.999)
  assert.equal(overallOf([at('health', -1, { state: 'live', headHeight: -1 })]).share, 0)
  assert.equal(overallOf([]).share, 0)
  // Interchain messages have a single stage of their own.
  assert.equal(overallOf([at('messages', 999, { state: 'live' })]).share, 1)
  assert.equal(overallOf([at('messages', 499)]).share, 0.5)
})

void test('progress over all stages: it never runs backwards until the chain was live', () => {
  const steady = new SteadyProgress()
  const seen: number[] = []
  const blocks = [-1, 300, 999, 999, 999]
  const traces = [-1, -1, 10, 600, 999]
  const heads = [999, 999, 1_500, 1_600, 1_600]
  for (const [step, height] of blocks.entries()) {
    const headHeight = heads[step] ?? 0
    const stages = [
      at('blocks', height, { headHeight }),
      at('traces', traces[step] ?? -1, { headHeight: step < 2 ? -1 : headHeight }),
    ]
    seen.push(steady.of('a', stages).share)
  }
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
  assert.equal(steady.of('b', [at('blocks', -1)]).share, 0, 'chains are apart')
  const live = at('blocks', 999, { state: 'live' })
  assert.equal(steady.of('a', [live]).share, 1)
  assert.equal(steady.of('a', [at('blocks', 500)]).share, 0.501, 'another way to go')
})
