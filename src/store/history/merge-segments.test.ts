import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ManifestSegment } from './manifest.ts'
import { mergedAtOnce, mostMergedAtOnce, mostSegments, segmentsToMerge } from './merge-segments.ts'

void test('merging: a history of any length ends in few segments, and rows are seldom rewritten', () => {
  const segments: ManifestSegment[] = []
  const freezings = 20_000
  let rewritten = 0
  let most = 0
  for (let height = 0; height < freezings; height++) {
    segments.push({ stage: 'blocks', from: height, until: height + 1, name: '', tier: 0 })
    for (;;) {
      const group = segmentsToMerge(segments)
      const [first] = group
      const last = group.at(-1)
      if (first === undefined || last === undefined) break
      assert.ok(group.length > 1 && group.every(({ tier }) => tier === first.tier))
      const merged = { ...first, until: last.until, tier: first.tier + 1 }
      rewritten += merged.until - merged.from
      segments.splice(segments.indexOf(first), group.length, merged)
    }
    most = Math.max(most, segments.length)
    for (const [at, { from }] of segments.entries())
      assert.equal(from, at === 0 ? 0 : segments[at - 1]?.until)
  }
  assert.ok(most <= mostSegments, `${most} segments`)
  // Once for each power of eight, and a little for those that are merged before their tier is full.
  const powers = Math.log(freezings) / Math.log(mergedAtOnce)
  assert.ok(rewritten / freezings <= powers + 1, `each row ${rewritten / freezings} times`)
})

const segment = (height: number, tier: number): ManifestSegment => ({
  stage: 'blocks',
  from: height,
  until: height + 1,
  name: '',
  tier,
})

void test('merging: nothing is due of seven, and of another tier', () => {
  assert.deepEqual(segmentsToMerge([]), [])
  const seven = Array.from({ length: 7 }, (_, at) => segment(at + 1, 0))
  assert.deepEqual(segmentsToMerge([segment(0, 1), ...seven]), [])
  assert.deepEqual(segmentsToMerge([segment(0, 0), ...seven]), [segment(0, 0), ...seven])
})

void test('merging: what a backfill has piled up is merged at once, the tier that has most first', () => {
  const upper = Array.from({ length: 9 }, (_, at) => segment(at, 1))
  const lower = (count: number): ManifestSegment[] =>
    Array.from({ length: count }, (_, at) => segment(9 + at, 0))
  assert.deepEqual(segmentsToMerge([...upper, ...lower(8)]), upper)
  assert.deepEqual(segmentsToMerge([...upper, ...lower(9)]), lower(9))
  assert.deepEqual(segmentsToMerge([...upper, ...lower(100)]), lower(mostMergedAtOnce))
})
