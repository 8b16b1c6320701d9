import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGauges, joinedGauges } from './gauges.ts'

void test('figures of threads: counts, times and gauges of the same labels are added up', async () => {
  const [one, other] = [createGauges(), createGauges()]
  const operation = 'listBlocks'
  for (const [gauges, status, seconds] of [
    [one, '200', 0.002],
    [other, '200', 0.2],
    [other, '404', 0.2],
  ] as const) {
    gauges.add('firn_api_requests_total', 1, { operation, status })
    gauges.observe('firn_api_request_seconds', seconds, { operation })
    gauges.set('firn_api_waiting_requests', 3, { lane: 'list' })
  }
  const text = await joinedGauges(one, async () => [await other.text()]).text()
  for (const line of [
    'firn_api_requests_total{operation="listBlocks",status="200"} 2',
    'firn_api_requests_total{operation="listBlocks",status="404"} 1',
    'firn_api_request_seconds_bucket{le="0.0025",operation="listBlocks"} 1',
    'firn_api_request_seconds_bucket{le="+Inf",operation="listBlocks"} 3',
    'firn_api_request_seconds_count{operation="listBlocks"} 3',
    'firn_api_waiting_requests{lane="list"} 6',
  ])
    assert.equal(text.split('\n').filter((each) => each === line).length, 1, line)
  // Each family begins once, as in the page of one thread.
  const heads = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('#'))
  assert.deepEqual(heads(text).toSorted(), heads(await one.text()).toSorted())
})
