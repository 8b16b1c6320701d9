import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import { metricNames, rollingMetricNames } from '../../src/shape/metrics/metric-names.ts'
import { evmService } from '../support/services/evm-service.ts'

const service = await evmService({ chains: [51001, 51002] })
const { metrics } = new Avalanche({ enableTelemetry: false })
const options = { serverURL: service.url, retries: { strategy: 'none' } } as const

const facts: { days: { timestamp: number }[] } = JSON.parse(
  readFileSync(new URL('../../vectors/evm/facts-51001.json', import.meta.url), 'utf8'),
)
const times = facts.days.map(({ timestamp }) => timestamp)
/** From the first day of the longer chain to its last, empty days included. */
const calendarDays = (Math.max(...times) - Math.min(...times)) / 86_400 + 1

void test('chainkit: reads every metric of every scope to the end', async () => {
  for (const chainId of ['51001', 'total', 'testnet']) {
    for (const metric of metricNames) {
      let points = 0
      const pages = await metrics.chains.getMetrics({ chainId, metric, pageSize: 50 }, options)
      for await (const page of pages) points += page.result.results.length
      assert.equal(points, calendarDays, `${chainId} ${metric}`)
    }
  }
})

void test('chainkit: reads hours, weeks and months', async () => {
  for (const timeInterval of ['hour', 'week', 'month'] as const) {
    let sum = 0
    const request = { chainId: '51001', metric: 'txCount', timeInterval, pageSize: 2_160 } as const
    const pages = await metrics.chains.getMetrics(request, options)
    for await (const page of pages) for (const { value } of page.result.results) sum += value
    assert.equal(sum, 11_818, timeInterval)
  }
})

void test('chainkit: lists chains and reads rolling windows', async () => {
  const listed: string[] = []
  for await (const page of await metrics.chains.list({}, options)) {
    listed.push(...page.result.chains.map(({ chainName }) => chainName))
  }
  assert.equal(listed.length, 2)
  const chain = await metrics.chains.get({ chainId: '51001' }, options)
  assert.equal(chain.evmChainId, 51_001)
  for (const metric of rollingMetricNames) {
    const { result } = await metrics.chains.getRollingWindowMetrics(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client's enumeration has these names
      { chainId: '51001', metric: metric as 'txCount' },
      options,
    )
    assert.ok(result.allTime !== undefined, metric)
  }
})
