import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGauges } from '../telemetry/gauges.ts'
import { createHealth } from '../telemetry/health.ts'
import { silentLog } from '../telemetry/log.ts'
import type { NodeReply, NodeRequest } from './node-http.ts'
import { operatorRoutes } from './operator-page.ts'

const clock = { now: () => 0, monotonic: () => 0, sleep: () => new Promise<void>(() => undefined) }
const request: NodeRequest = {
  method: 'GET',
  extension: '',
  query: new URLSearchParams(),
  contentType: '',
  isCrossSite: false,
  body: new Uint8Array(),
  signal: new AbortController().signal,
}

void test('operator page: checks and figures as they are, every sign of others escaped', async () => {
  const health = createHealth({ clock, log: silentLog })
  health.register('chains', () => ({ said: '<script>alert(1)</script>' }))
  health.register('disk', () => {
    throw new Error('full & more')
  })
  await health.runAll()
  const gauges = createGauges()
  gauges.add('firn_api_requests_total', 1_234, { operation: 'getBlock', status: '200' })
  gauges.observe('firn_api_request_seconds', 0.25, { operation: 'getBlock' })
  const routes = operatorRoutes({ version: 'firn/1.2.3', nodeId: undefined, health, gauges })
  const ask = async (path: string): Promise<NodeReply | undefined> => routes.get(path)?.(request)
  const page = await ask('')
  const body = String(page?.body)
  assert.equal(page?.status, 200)
  assert.match(body, /<td>chains<\/td><td>healthy<\/td><td>.*&lt;script&gt;/)
  assert.match(body, /<td>disk<\/td><td class="bad">unhealthy<\/td><td>full &amp; more<\/td>/)
  assert.match(
    body,
    /firn_api_requests_total<\/td><td>[^<]*getBlock[^<]*<\/td><td class="num">1,234</,
  )
  assert.match(body, /firn_api_request_seconds_sum<\/td><td>[^<]*<\/td><td class="num">0\.25</)
  assert.doesNotMatch(body, /<script|_bucket|<style| style=/)
  assert.match(String(page?.headers?.['content-security-policy']), /^default-src 'none'/)
  const [, sheet = ''] = /href="\/ext\/firn(\/[^"]+)"/.exec(body) ?? []
  assert.match((await ask(sheet))?.contentType ?? '', /^text\/css/)
})
