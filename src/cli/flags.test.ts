import assert from 'node:assert/strict'
import { test } from 'node:test'

import { momentOf } from './flags.ts'

void test('moments: dates, ISO moments and Unix seconds', () => {
  // Seconds as `date -u -d TEXT +%s` of GNU coreutils gives them.
  for (const [text, seconds] of [
    ['2025-01-31', 1_738_281_600],
    ['2024-02-29', 1_709_164_800],
    ['2025-01-31T10:20', 1_738_318_800],
    ['2025-01-31 10:20:30', 1_738_318_830],
    ['2025-01-31T10:20:30.5Z', 1_738_318_830],
    ['2025-01-31T10:20:30+02:00', 1_738_311_630],
    ['1738281600', 1_738_281_600],
  ] as const)
    assert.equal(momentOf(text), seconds, text)
})

void test('moments: text that could be taken for another day is none', () => {
  for (const text of [
    '20250131',
    '2025-02-29',
    '2025-02-31',
    '2025-13-01',
    '2025-1-3',
    '2025-01',
    '2025',
    '01/02/2025',
    'Jan 31 2025',
    '2025-01-31T25:00',
    '2025-01-31+02:00',
    '-1',
    '',
  ])
    assert.equal(momentOf(text), undefined, text)
})
