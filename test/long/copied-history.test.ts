/**
 * The check of a history that came from a snapshot, against a recording that a real node answered: whole,
 * by parts, ended and begun again, beside an endpoint that lies and one that lacks traces.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { EvmSource } from '../../src/source/evm-source.ts'
import { copiedHistory } from '../../src/store/copied-history.ts'
import { check, copyOf, nodeOf, otherRowsOf } from '../support/stores/copied-chain.ts'
import { forgeSegment } from '../support/stores/forged-segment.ts'
import { mergeAll } from '../support/stores/freeze-store.ts'

const idleEndpoint = {
  state: 'up',
  height: 0,
  latencyMs: 0,
  inFlight: 0,
  window: 1,
} as const

void test('an honest copy: a sample of it is confirmed, then all', async (t) => {
  const store = await copyOf(t, 51001, [100, 300])
  const { share = 0, ...sampled } = await check(store, 51001, { percent: 1 })
  assert.deepEqual(sampled, { state: 'live', reason: undefined })
  assert.ok(
    [100, 200, 103].some((blocks) => share === blocks / 403),
    `${share}`,
  )
  const all = await check(store, 51001, { percent: 100 })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: undefined })
})

void test('on PostgreSQL: confirmed, and one entry less in a list is refused', async (t) => {
  const honest = await copyOf(t, 51002, [60], 'postgres')
  const all = await check(honest, 51002, { percent: 100 })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: undefined })
  const altered = await copyOf(t, 51002, [60], 'postgres')
  await forgeSegment(altered, { transfer_by_token: (rows) => rows.toSpliced(rows.length >> 1, 1) })
  const { state, reason } = await check(altered, 51002, { percent: 100 })
  assert.equal(state, 'stopped')
  assert.match(reason ?? '', otherRowsOf('transfer_by_token'))
})

void test('an endpoint that tells blocks of another chain: a second one is read, and the first is blamed', async (t) => {
  const store = await copyOf(t, 51002, [60])
  const [own, other] = [nodeOf(51002), nodeOf(51001)]
  const doubted = new Set<string>()
  const two: EvmSource = {
    ...own,
    unitBlocks: () => 16,
    blocks: (range, decode, signal) =>
      range.otherThan?.includes('wrong') === true
        ? own.blocks(range, (units) => decode(units, 'right'), signal)
        : other.blocks(range, (units) => decode(units, 'wrong'), signal),
    traces: own.traces,
    doubt: (origin) => void doubted.add(origin),
    endpoints: () => ['wrong', 'right'].map((name) => ({ ...idleEndpoint, name })),
  }
  const all = await check(store, 51002, { percent: 100, source: two })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: undefined })
  assert.deepEqual([...doubted], ['wrong'])
})

void test('a node without traces: everything else is confirmed, and the status says what is not', async (t) => {
  const store = await copyOf(t, 51002, [60])
  const untraced: EvmSource = {
    ...nodeOf(51002),
    blocks: (range, decode, signal) => nodeOf(51002).blocks(range, decode, signal),
    unitBlocks: () => 16,
    traces: () => Promise.reject(new Fault('node-refused', 'the node serves no traces')),
  }
  const all = await check(store, 51002, { percent: 100, source: untraced })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: 1 })
  assert.equal(
    (await copiedHistory(store))?.without,
    'internal transactions: the node serves no traces',
  )
})

void test('a copy that lacks the oldest blocks: refused', async (t) => {
  const store = await copyOf(t, 51002, [60])
  const { state, reason } = await check(store, 51002, { percent: 1, startHeight: 5 })
  assert.equal(state, 'stopped')
  assert.match(reason ?? '', /: it begins at height 0, the chain at 5$/)
})

void test('a process that is ended goes on where it was, also where a merge came between', async (t) => {
  const store = await copyOf(t, 51001, [100, 200, 300])
  const node = nodeOf(51001)
  const reads: number[] = []
  const watched: EvmSource = {
    ...node,
    blocks: async (range, decode, signal) => {
      reads.push(range.from)
      return node.blocks(range, decode, signal)
    },
    unitBlocks: () => 4,
  }
  // It ends at the pause after what it read first: the first segment.
  await check(store, 51001, { percent: 100, source: watched, steps: 0 })
  const before = await copiedHistory(store)
  assert.deepEqual([before?.check?.compared, before?.check?.next.blocks], [100, 100])
  await mergeAll(store, (listed) => listed.slice(1, 3))
  const first = reads.length
  const all = await check(store, 51001, { percent: 100, source: watched })
  assert.deepEqual([all.share, all.reason], [undefined, undefined])
  assert.equal(reads[first], 100)
})
