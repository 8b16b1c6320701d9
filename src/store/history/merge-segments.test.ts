import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ManifestSegment } from './manifest.ts'
import {
  mergedAtOnce,
  mostMergedAtOnce,
  mostSegments,
  segmentsToMerge,
  segmentsWaiting,
} from './merge-segments.ts'

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

void test('merging: files of bounded size are written twice, and few wait, however long the history is', () => {
  const fileBytes = 128
  // Small and large ones, and one that is larger than a merged file may be.
  const sizes = [...Array.from({ length: 3_000 }, (_, at) => 1 + ((at * 7) % 5)), 30, 500]
  for (let at = 0; at < 2_000; at++) sizes.push(20 + ((at * 13) % 30))
  let segments: ManifestSegment[] = []
  let written = 0
  let most = 0
  for (const [at, bytes] of sizes.entries()) {
    segments.push({ ...segment(at, 0), bytes })
    for (;;) {
      const group = segmentsToMerge(segments, fileBytes)
      const [first] = group
      const last = group.at(-1)
      if (first === undefined || last === undefined) break
      const sum = group.reduce((total, each) => total + (each.bytes ?? 0), 0)
      assert.ok(group.length > 1 && sum <= fileBytes, `${sum} bytes`)
      written += sum
      const merged = { ...first, until: last.until, tier: first.tier + 1, bytes: sum }
      segments = segments.toSpliced(segments.indexOf(first), group.length, merged)
    }
    most = Math.max(most, segmentsWaiting(segments, fileBytes))
  }
  assert.ok(most <= mostSegments, `${most} wait`)
  const all = sizes.reduce((sum, bytes) => sum + bytes)
  assert.ok(written / all < 1.5, `each byte ${written / all} times`)
  assert.ok(segments.length < (2 * all) / fileBytes, `${segments.length} files`)
  assert.equal(segments.at(-1)?.until, sizes.length)
})

void test('merging: files of unknown size stay as they are where size is bounded', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => segment(at, 0))
  assert.deepEqual(segmentsToMerge(twenty, 128), [])
  const known = Array.from({ length: 8 }, (_, at) => ({ ...segment(20 + at, 0), bytes: 2 }))
  assert.deepEqual(segmentsToMerge([...twenty, ...known], 128), known)
})
