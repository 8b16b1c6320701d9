import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { isDayMetric, metricNames, timeIntervals } from '../../../src/shape/metrics/metric-names.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain, type DemoChainId, type RawFrame } from '../../support/stores/demo-store.ts'

const service = await evmService({ chains: [51001, 51002] })
const chainIds = [51001, 51002] as const
const listNames = { hour: 'hours', day: 'days', week: 'weeks', month: 'months' } as const

type Facts = Record<'hours' | 'days' | 'weeks' | 'months', Record<string, number | string>[]>

function factsOf(chainId: DemoChainId): Facts {
  return JSON.parse(
    readFileSync(new URL(`../../../vectors/evm/facts-${chainId}.json`, import.meta.url), 'utf8'),
  )
}

/** Wei as whole units, the way the metric is defined; a decimal text rounded once. */
function inUnits(wei: string, decimals: number): number {
  const text = wei.padStart(decimals + 1, '0')
  return Number(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`)
}

function expectedOf(bucket: Record<string, number | string>, metric: string): number {
  if (metric === 'feesPaid') return inUnits(String(bucket['feesPaidWei']), 18)
  if (metric === 'maxGasPrice') return inUnits(String(bucket['maxGasPriceWei']), 9)
  // The facts round the average down to whole wei.
  if (metric === 'avgGasPrice') return Number(bucket['avgGasPriceWei']) / 1e9
  return Number(bucket[metric])
}

async function series(
  chain: string,
  metric: string,
  query = 'pageSize=2160',
): Promise<Map<number, number>> {
  const points = await service.readAll(`/v2/chains/${chain}/metrics/${metric}?${query}`, 'results')
  return new Map(points.map((point) => [point.timestamp, point.value]))
}

void test('metrics: every bucket of every metric and interval equals the independent facts', async () => {
  let compared = 0
  for (const chainId of chainIds) {
    const facts = factsOf(chainId)
    for (const metric of metricNames) {
      for (const interval of timeIntervals) {
        const isAny = !isDayMetric(metric)
        if (!isAny && interval !== 'day') continue
        const values = await series(
          String(chainId),
          metric,
          `timeInterval=${interval}&pageSize=2160`,
        )
        for (const bucket of facts[listNames[interval]]) {
          const at = Number(bucket['timestamp'])
          const value = values.get(at)
          const expected = expectedOf(bucket, metric)
          const name = `${chainId} ${metric} ${interval} ${at}`
          assert.ok(value !== undefined, name)
          if (metric.startsWith('avg')) {
            const slack = metric === 'avgGasPrice' ? 1e-9 : Math.abs(expected) * 1e-12
            assert.ok(Math.abs(value - expected) <= slack, `${name}: ${value} ${expected}`)
          } else assert.equal(value, expected, name)
          compared++
        }
        const known = new Set(
          facts[listNames[interval]].map((bucket) => Number(bucket['timestamp'])),
        )
        const others = [...values].filter(([at]) => !known.has(at))
        if (!metric.startsWith('cumulative')) {
          assert.ok(
            others.every(([, value]) => value === 0),
            `${chainId} ${metric}: empty periods are 0`,
          )
        }
      }
    }
  }
  assert.ok(compared > 300, `${compared} buckets`)
})

void test('metrics: points are newest first and without holes', async () => {
  const points = await service.readAll(
    '/v2/chains/51001/metrics/txCount?timeInterval=hour&pageSize=100',
    'results',
  )
  for (let at = 1; at < points.length; at++) {
    assert.equal(points[at - 1].timestamp - points[at].timestamp, 3_600)
  }
  assert.ok(points.length > 1_000)
})

void test('metrics: hours add up to days, days to months, and cumulatives never fall', async () => {
  for (const metric of ['txCount', 'gasUsed']) {
    const hours = await series('51001', metric, 'timeInterval=hour&pageSize=2160')
    const days = await series('51001', metric)
    for (const [day, value] of days) {
      let sum = 0
      for (let hour = day; hour < day + 86_400; hour += 3_600) sum += hours.get(hour) ?? 0
      assert.equal(sum, value, `${metric} ${day}`)
    }
  }
  for (const metric of metricNames.filter((name) => name.startsWith('cumulative'))) {
    for (const chain of ['51001', 'total']) {
      const values = [...(await series(chain, metric))].map(([, value]) => value)
      for (let at = 1; at < values.length; at++) {
        assert.ok((values[at - 1] ?? 0) >= (values[at] ?? 0), `${chain} ${metric}`)
      }
    }
  }
})

type Activity = { day: number; address: string; sends: boolean }

/** Who was active when, from the raw receipts alone. */
function activityOf(chainId: DemoChainId): Activity[] {
  const transfers = new Set([
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
    '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  ])
  const out: Activity[] = []
  const lower = (topic: string | undefined): string => `0x${String(topic).slice(-40)}`
  for (const { block, receipts } of rawChain(chainId)) {
    const seconds = Number(block.timestamp)
    const day = seconds - (seconds % 86_400)
    const note = (address: string, sends: boolean) =>
      out.push({ day, address: address.toLowerCase(), sends })
    for (const tx of block.transactions) {
      note(tx.from, true)
      if (tx.to !== null) note(tx.to, false)
    }
    for (const log of receipts.flatMap((receipt) => receipt.logs)) {
      if (!transfers.has(log.topics[0] ?? '')) continue
      const isMulti = !log.topics[0]?.startsWith('0xddf252ad')
      const data = log.data.slice(2)
      if (isMulti) {
        const empty =
          log.topics[0]?.startsWith('0x4a39dc06') && Number(`0x${data.slice(128, 192)}`) === 0
        if (empty) continue
        note(lower(log.topics[2]), true)
        note(lower(log.topics[3]), false)
      } else if (log.topics.length === 1 && data.length === 192) {
        note(lower(data.slice(0, 64)), true)
        note(lower(data.slice(64, 128)), false)
      } else if (log.topics.length === 4 || (log.topics.length === 3 && data.length >= 64)) {
        note(lower(log.topics[1]), true)
        note(lower(log.topics[2]), false)
      }
    }
  }
  return out
}

/** Deployers by day from the raw traces alone. */
function deployersOf(chainId: DemoChainId): Activity[] {
  const out: Activity[] = []
  const visit = (frame: RawFrame, day: number, reverted: boolean): void => {
    const failed = reverted || frame.error !== undefined
    if (!failed && frame.type.startsWith('CREATE'))
      out.push({ day, address: frame.from.toLowerCase(), sends: true })
    for (const call of frame.calls ?? []) visit(call, day, failed)
  }
  for (const { block, traces } of rawChain(chainId)) {
    const seconds = Number(block.timestamp)
    for (const trace of traces) visit((trace as Json).result, seconds - (seconds % 86_400), false)
  }
  return out
}

function distinctByDay(activity: readonly Activity[]): Map<number, number> {
  const sets = new Map<number, Set<string>>()
  for (const { day, address } of activity)
    (sets.get(day) ?? sets.set(day, new Set()).get(day))?.add(address)
  return new Map([...sets].map(([day, set]) => [day, set.size]))
}

function cumulativeByDay(activity: readonly Activity[]): Map<number, number> {
  const days = [...new Set(activity.map(({ day }) => day))].sort((a, b) => a - b)
  const sorted = activity.toSorted((a, b) => a.day - b.day)
  const seen = new Set<string>()
  let at = 0
  return new Map(
    days.map((day) => {
      for (; at < sorted.length && (sorted[at]?.day ?? 0) <= day; at++)
        seen.add(sorted[at]?.address ?? '')
      return [day, seen.size]
    }),
  )
}

void test('metrics: over several chains, addresses are united, not added', async () => {
  const activity = chainIds.flatMap(activityOf)
  const deployers = chainIds.flatMap(deployersOf)
  const senders = activity.filter(({ sends }) => sends)
  for (const scope of ['total', 'testnet']) {
    for (const [metric, expected] of [
      ['activeAddresses', distinctByDay(activity)],
      ['activeSenders', distinctByDay(senders)],
      ['cumulativeAddresses', cumulativeByDay(activity)],
      ['deployers', distinctByDay(deployers)],
      ['cumulativeDeployers', cumulativeByDay(deployers)],
    ] as const) {
      const values = await series(scope, metric)
      for (const [day, count] of expected)
        assert.equal(values.get(day), count, `${scope} ${metric} ${day}`)
      const parts = await Promise.all(chainIds.map((chain) => series(String(chain), metric)))
      for (const [day, value] of values) {
        const sum = parts.reduce((total, part) => total + (part.get(day) ?? 0), 0)
        if (!metric.startsWith('cumulative'))
          assert.ok(value <= sum, `${metric} ${day}: union over sum`)
      }
    }
  }
  const none = await service.get('/v2/chains/mainnet/metrics/txCount')
  assert.equal(none.status, 404)
})

void test('metrics: bounds are strict, pages join to the whole, tokens look like UUIDs', async () => {
  const all = await service.readAll('/v2/chains/51001/metrics/txCount?pageSize=2160', 'results')
  const [first, second, third] = all
  const between = await service.get(
    `/v2/chains/51001/metrics/txCount?startTimestamp=${third.timestamp}&endTimestamp=${first.timestamp}`,
  )
  assert.deepEqual(between.body, { results: [second] })
  assert.deepEqual(
    await service.readAll('/v2/chains/51001/metrics/txCount?pageSize=7', 'results'),
    all,
  )
  const page = await service.get('/v2/chains/51001/metrics/txCount?pageSize=7')
  assert.match(
    page.body.nextPageToken,
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
  )
  assert.deepEqual(
    (await service.get(`/v2/chains/51001/metrics/txCount?pageSize=${all.length}`)).body,
    { results: all },
  )
  const byId = await service.get(
    '/v2/chains/bJ9J6zjGdWniNYTdAwhETmsjxqntKt8p7L8yqtyjbRCiPVQkL/metrics/txCount?pageSize=2160',
  )
  assert.deepEqual(byId.body.results, all)
})

void test('metrics: bad input gets the error that each route documents', async () => {
  const token = (await service.get('/v2/chains/51001/metrics/txCount?pageSize=7')).body
    .nextPageToken
  for (const [path, status, pattern] of [
    ['/v2/chains/51001/metrics/nope', 400, /metric must be one of txCount, activeAddresses, /],
    [
      '/v2/chains/51001/metrics/txCount?timeInterval=year',
      400,
      /timeInterval must be one of hour, day, week, month: year/,
    ],
    [
      '/v2/chains/51001/metrics/avgTps?timeInterval=hour',
      400,
      /timeInterval must be day for avgTps: hour/,
    ],
    ['/v2/chains/51001/metrics/contracts?timeInterval=week', 400, /must be day/],
    ['/v2/chains/51001/metrics/txCount?startTimestamp=-1', 400, /startTimestamp/],
    [
      '/v2/chains/51001/metrics/txCount?pageSize=2161',
      400,
      /pageSize must be an integer from 1 to 2160/,
    ],
    ['/v2/chains/51001/metrics/txCount?pageSize=0', 400, /pageSize/],
    ['/v2/chains/99/metrics/txCount', 404, /99/],
    [`/v2/chains/51001/metrics/gasUsed?pageSize=7&pageToken=${token}`, 400, /pageToken/],
    [`/v2/chains/51002/metrics/txCount?pageSize=7&pageToken=${token}`, 400, /pageToken/],
  ] as const) {
    const reply = await service.get(path)
    assert.equal(reply.status, status, path)
    assert.equal(typeof reply.body.message, 'string', path)
    assert.match(reply.body.message, pattern, path)
  }
  const reversed = await service.get(
    '/v2/chains/51001/metrics/txCount?startTimestamp=9&endTimestamp=5',
  )
  assert.deepEqual(reversed.body, { results: [] })
  const v1 = await service.get('/v1/avg_tps/99')
  assert.equal(v1.status, 404)
  assert.ok(Array.isArray(v1.body.message))
  service.time.nowMs += 24 * 3_600_000
  assert.equal(
    (await service.get(`/v2/chains/51001/metrics/txCount?pageSize=7&pageToken=${token}`)).status,
    400,
  )
})

void test('metrics: average TPS by day, with the newest block as its last run', async () => {
  const facts = factsOf(51001)
  const reply = await service.get('/v1/avg_tps/51001?pageSize=2160')
  assert.equal(reply.body.status, 200)
  const newest = rawChain(51001).at(-1)?.block.timestamp
  assert.equal(reply.body.lastRun, Number(newest))
  const values = new Map<number, number>(
    reply.body.results.map((point: Json) => [point.timestamp, point.value]),
  )
  for (const day of facts.days) {
    const expected = Number(day['avgTps'])
    assert.ok(Math.abs((values.get(Number(day['timestamp'])) ?? -1) - expected) <= expected * 1e-12)
  }
})

void test('metrics: chains are listed with what clients ask first', async () => {
  const { body } = await service.get('/v2/chains')
  assert.deepEqual(
    body.chains.map((chain: Json) => [chain.evmChainId, chain.network]),
    [
      [51001, 'testnet'],
      [51002, 'testnet'],
    ],
  )
  assert.equal((await service.get('/v2/chains/51001')).body.evmChainId, 51001)
  assert.deepEqual((await service.get('/v2/chains?network=mainnet')).body.chains, [])
  const { body: rolling } = await service.get('/v2/chains/51001/rollingWindowMetrics/txCount')
  assert.equal(rolling.result.allTime, 11_818)
  const distinct = await service.get('/v2/chains/51001/rollingWindowMetrics/activeAddresses')
  assert.equal(
    distinct.body.result.allTime,
    new Set(activityOf(51001).map(({ address }) => address)).size,
  )
})

provesOperations(
  [service],
  [
    'getChainMetrics',
    'getAverageTps',
    'getRollingWindowMetrics',
    'listMetricsChains',
    'getMetricsChain',
  ],
)
