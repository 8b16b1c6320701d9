/** Usage of keys: requests are counted and listed, each key's own, also after a restart. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import {
  indexedFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import type { Json } from '../support/services/evm-service.ts'
import { provesOperations } from '../support/services/proven-operations.ts'

/** Operations answered with success. */
const answered = new Set<string>()

type Reply = { readonly status: number; readonly body: Json }

async function ask(firn: RunningFirn, path: string, key?: string): Promise<Reply> {
  const headers = {
    'user-agent': 'shop/1',
    ...(key === undefined ? {} : { 'x-service-api-key': key }),
  }
  const reply = await fetch(`${firn.apiUrl}${path}`, { headers })
  if (reply.ok && path.startsWith('/v1/apiLogs')) answered.add('getApiLogs')
  if (reply.ok && path.startsWith('/v1/apiUsage')) answered.add('getApiUsageMetrics')
  return { status: reply.status, body: await reply.json() }
}

/** Requests: path, the operation it belongs to, its chain, its status. */
const requests = [
  ['/v1/chains/51002/blocks', '/v1/chains/{chainId}/blocks', '51002', 200],
  ['/v1/chains/51002/blocks', '/v1/chains/{chainId}/blocks', '51002', 200],
  ['/v1/chains/51001/blocks', '/v1/chains/{chainId}/blocks', '51001', 200],
  ['/v1/chains/51001/blocks?pageSize=0', '/v1/chains/{chainId}/blocks', '51001', 400],
  ['/v1/chains/999/blocks', '/v1/chains/{chainId}/blocks', '999', 404],
  ['/v2/chains', '/v2/chains', '', 200],
] as const

void test('usage: requests of a key are counted and listed, and stay over a restart', async (t) => {
  const folder = await indexedFolder(t)
  const keyOf = async (name: string): Promise<string> =>
    (await runFirn('keys', 'create', name, '--data-dir', folder)).stdout.trim()
  const mine = await keyOf('shop')
  const another = await keyOf('another')
  const first = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(first)
  for (const [path, , , status] of requests)
    assert.equal((await ask(first, path, mine)).status, status, path)
  await ask(first, '/v2/chains', another)
  await ask(first, '/v2/chains')
  assert.equal(await first.end(), 0)

  const firn = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(firn)
  for (const path of ['/v1/apiUsageMetrics', '/v1/apiLogs'])
    assert.equal((await ask(firn, path)).status, 401)

  const logs: Json[] = []
  for (let token = ''; ;) {
    const path = `/v1/apiLogs?pageSize=2&requestPath=/v1/chains/{chainId}/blocks${token}`
    const { status, body } = await ask(firn, encodeURI(path), mine)
    assert.equal(status, 200)
    logs.push(...body.logs)
    if (body.nextPageToken === undefined) break
    token = `&pageToken=${body.nextPageToken}`
  }
  const blocks = requests.filter(([, path]) => path.endsWith('/blocks'))
  assert.deepEqual(
    logs.map(({ requestPath, chainId, responseCode }) => [requestPath, chainId, responseCode]),
    blocks.map(([, path, chain, status]) => [path, chain, status]).toReversed(),
  )
  const now = Math.floor(Date.now() / 1_000)
  for (const log of logs) {
    assert.equal(log.apiKeyAlias, 'shop')
    assert.equal(log.metadata.userAgent, 'shop/1')
    assert.match(log.metadata.ipAddress, /127\.0\.0\.1$/)
    assert.ok(Math.abs(log.eventTimestamp - now) < 600)
  }

  const grouped = async (groupBy: string, query = ''): Promise<Map<string, Json>> => {
    const path = `/v1/apiUsageMetrics?timeInterval=monthly&groupBy=${groupBy}${query}`
    const { body } = await ask(firn, path, mine)
    const values: Json[] = body.metrics.flatMap((metric: Json) => metric.values)
    assert.ok(values.every((value) => value.groupedBy === groupBy))
    return new Map(values.map((value) => [value.groupValue, value]))
  }
  const byPath = await grouped('requestPath')
  const ofBlocks = byPath.get('/v1/chains/{chainId}/blocks')
  assert.deepEqual(
    [ofBlocks.totalRequests, ofBlocks.invalidRequests, ofBlocks.successRatePercent],
    [blocks.length, 2, 60],
  )
  assert.equal(byPath.get('/v2/chains').totalRequests, 1)
  const byChain = await grouped('chainId', '&responseCode=200')
  assert.deepEqual([byChain.get('51002').totalRequests, byChain.get('51001').totalRequests], [2, 1])
  assert.equal(byChain.get('999'), undefined)
  assert.ok(ofBlocks.medianResponseTimeMsecs > 0)
  assert.equal(ofBlocks.apiCreditsUsed, (ofBlocks.apiCreditsWasted / 2) * blocks.length)

  // Minutes of the newest answers, which the log shows one by one.
  const minutes = await ask(
    firn,
    `/v1/apiUsageMetrics?timeInterval=minute&requestPath=/v1/chains/{chainId}/blocks&startTimestamp=${now - 86_400}`,
    mine,
  )
  const inMinutes = new Map<number, number>()
  for (const { eventTimestamp } of logs) {
    const minute = eventTimestamp - (eventTimestamp % 60)
    inMinutes.set(minute, (inMinutes.get(minute) ?? 0) + 1)
  }
  assert.deepEqual(
    minutes.body.metrics.map(({ timestamp, values }: Json) => [timestamp, values[0].totalRequests]),
    [...inMinutes].toSorted(([a], [b]) => b - a),
  )

  const theirs = await ask(firn, '/v1/apiLogs?pageSize=100', another)
  assert.deepEqual(
    theirs.body.logs.map(({ requestPath }: Json) => requestPath),
    ['/v2/chains'],
  )
  for (const [query, words] of [
    ['timeInterval=year', /timeInterval/],
    ['responseCode=twohundred', /responseCode/],
    ['startTimestamp=-1', /startTimestamp/],
  ] as const) {
    const refused = await ask(firn, `/v1/apiUsageMetrics?${query}`, mine)
    assert.equal(refused.status, 400, query)
    assert.match(refused.body.message, words)
  }

  const client = new Avalanche({ apiKey: mine, enableTelemetry: false })
  const options = { serverURL: firn.apiUrl }
  const usage = await client.data.usageMetrics.getUsage({ timeInterval: 'hourly' }, options)
  assert.ok(usage.metrics.length > 0)
  const listed = await client.data.usageMetrics.getLogs({ pageSize: 3 }, options)
  let count = 0
  for await (const { result } of listed) count += result.logs.length
  assert.ok(count >= requests.length)
})

provesOperations([{ answered }], ['getApiUsageMetrics', 'getApiLogs'])
