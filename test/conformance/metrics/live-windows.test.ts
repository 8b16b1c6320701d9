/** Where series and windows end while a chain is live. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { storeCurrentAt } from '../../../src/store/query/evm/heights.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const service = await evmService({ chains: [51002] })
const base = '/v2/chains/51002'
const hour = 3_600
const day = 24 * hour
const blocks = rawChain(51002).map(({ block }) => ({
  time: Number(block.timestamp),
  count: block.transactions.length,
}))
const last = Math.max(...blocks.map(({ time }) => time))
const hourOf = (time: number): number => time - (time % hour)

/** Transactions of the recording from `from` on. */
function sentSince(from: number): number {
  return blocks.reduce((sum, { time, count }) => (time >= from ? sum + count : sum), 0)
}

/** A process that indexes heard from its node that the stored height is the head. */
async function nothingMissingAt(seconds: number): Promise<void> {
  const [chain] = service.chains
  await chain?.store.transaction((writer) => storeCurrentAt(writer, seconds))
}

async function windows(): Promise<Json> {
  return (await service.get(`${base}/rollingWindowMetrics/txCount`)).body.result
}

async function points(metric: string, interval: string, size: number): Promise<Json[]> {
  const path = `${base}/metrics/${metric}?timeInterval=${interval}&pageSize=${size}`
  return (await service.get(path)).body.results
}

void test('live windows: they end with the last block where no node said that nothing is missing since', async () => {
  for (const at of [undefined, last - 5 * day]) {
    if (at !== undefined) await nothingMissingAt(at)
    assert.equal((await windows()).lastHour, sentSince(hourOf(last)))
    const [newest] = await points('txCount', 'hour', 1)
    assert.equal(newest.timestamp, hourOf(last))
  }
})

void test('live windows: they end when the node last said that nothing is missing', async () => {
  const now = last + 3 * day + 5
  await nothingMissingAt(now)
  const live = await windows()
  assert.equal(live.lastHour, 0)
  assert.equal(live.lastDay, 0)
  assert.equal(live.lastWeek, sentSince(hourOf(now - (7 * day - hour))))
  assert.ok(live.lastWeek > 0)
  assert.equal(live.allTime, sentSince(1))
})

void test('live windows: series have the empty periods of a quiet chain', async () => {
  const now = last + 3 * day + 5
  await nothingMissingAt(now)
  const hours = await points('txCount', 'hour', 80)
  const quiet = (hourOf(now) - hourOf(last)) / hour
  assert.ok(quiet < 80)
  assert.deepEqual(
    hours.slice(0, quiet),
    Array.from({ length: quiet }, (_, at) => ({ value: 0, timestamp: hourOf(now) - at * hour })),
  )
  assert.deepEqual(hours[quiet], {
    value: sentSince(hourOf(last)),
    timestamp: hourOf(last),
  })
  const sums = await points('cumulativeTxCount', 'day', 3)
  assert.deepEqual(
    sums.map(({ timestamp }) => timestamp),
    [0, 1, 2].map((at) => now - (now % day) - at * day),
  )
  assert.equal(new Set(sums.map(({ value }) => value)).size, 1, 'sums stay')
  const speeds = (await service.get('/v1/avg_tps/51002')).body.results
  assert.equal(speeds[0].timestamp, now - (now % day))
})
