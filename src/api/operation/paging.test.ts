import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { momentsOf } from './paging.ts'

const at = (text: string): number => Date.parse(`${text}Z`) / 1_000
const shown = (moments: readonly number[]): string[] =>
  moments.map((moment) => new Date(moment * 1_000).toISOString().slice(0, 16))

void test('series: beginnings of intervals within the range, then its end', () => {
  const now = at('2026-03-10T12:30')
  const query = { startTimestamp: at('2026-03-08T00:00'), endTimestamp: at('2026-03-10T06:00') }
  assert.deepEqual(shown(momentsOf(query, now)), [
    '2026-03-08T00:00',
    '2026-03-09T00:00',
    '2026-03-10T00:00',
    '2026-03-10T06:00',
  ])
  const later = { startTimestamp: at('2026-01-31T23:00'), timeInterval: 'month' } as const
  assert.deepEqual(shown(momentsOf(later, now)), [
    '2026-02-01T00:00',
    '2026-03-01T00:00',
    '2026-03-10T12:30',
  ])
})

void test('series: the end is never later than now, and a range that ends before it begins is empty', () => {
  const now = at('2026-03-10T12:30')
  const ahead = { startTimestamp: at('2026-03-10T00:00'), endTimestamp: at('2027-01-01T00:00') }
  assert.deepEqual(shown(momentsOf(ahead, now)), ['2026-03-10T00:00', '2026-03-10T12:30'])
  assert.deepEqual(momentsOf({ startTimestamp: now, endTimestamp: now - 1 }, now), [])
  assert.deepEqual(momentsOf({ startTimestamp: now, endTimestamp: now }, now), [now])
})

void test('series: thirty intervals where no start is named, at most a hundred points', () => {
  const now = at('2026-03-10T12:30')
  const days = shown(momentsOf({}, now))
  assert.equal(days.length, 32)
  assert.deepEqual([days[0], days.at(-1)], ['2026-02-08T00:00', '2026-03-10T12:30'])
  const hour = 3_600
  const most = { timeInterval: 'hour', startTimestamp: at('2026-03-01T10:00') } as const
  assert.equal(
    momentsOf({ ...most, endTimestamp: most.startTimestamp + 99 * hour }, now).length,
    100,
  )
  assert.throws(
    () => momentsOf({ ...most, endTimestamp: most.startTimestamp + 99 * hour + 1 }, now),
    (error) => error instanceof Fault && error.code === 'bad-parameter',
  )
})
