import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGauges } from '../telemetry/gauges.ts'
import { createHealth } from '../telemetry/health.ts'
import { silentLog } from '../telemetry/log.ts'
import type { NodeReply, NodeRequest } from './node-http.ts'
import { type OperatorChain, operatorRoutes } from './operator-page.ts'

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

const live: OperatorChain = {
  name: 'C-Chain',
  state: 'live',
  reason: undefined,
  indexedHeight: 1_200,
  headHeight: 1_200,
  blocksPerSecond: 2.5,
  etaSeconds: undefined,
  nodes: [{ name: 'http://127.0.0.1:9650', state: 'up', latencyMs: 3.4, problem: undefined }],
  stages: [
    { stage: 'blocks', state: 'live', indexedHeight: 1_200 },
    { stage: 'logs', state: 'off', indexedHeight: 700, completeFrom: 600 },
  ],
}

type Given = {
  readonly chains: readonly OperatorChain[]
  readonly check?: () => unknown
}

async function pageOf({ chains, check = () => ({}) }: Given): Promise<{
  readonly body: string
  readonly page: NodeReply | undefined
  readonly get: (path: string, query?: string) => Promise<NodeReply | undefined>
}> {
  const health = createHealth({ clock, log: silentLog })
  health.register('disk', check)
  await health.runAll()
  const gauges = createGauges()
  gauges.add('firn_api_requests_total', 1_000, { operation: 'getBlock', status: '200' })
  gauges.add('firn_api_requests_total', 234, { operation: 'listBlocks', status: '200' })
  gauges.add('firn_api_requests_total', 5, { operation: 'listBlocks', status: '503' })
  const routes = operatorRoutes({
    version: 'firn/1.2.3',
    nodeId: undefined,
    health,
    gauges,
    chains: () => Promise.resolve(chains),
    lastHour: new Map([['Memory bytes', [2 ** 20, 3 * 2 ** 20]]]),
    recentLog: () => [{ time: 0, logger: 'main', level: 'WARN', event: '<b>', fields: { at: 7 } }],
  })
  const get = async (path: string, query = ''): Promise<NodeReply | undefined> =>
    routes.get(path)?.({ ...request, query: new URLSearchParams(query) })
  const page = await get('')
  return { body: String(page?.body), page, get }
}

void test('operator page: a well process says so, with chains, nodes, requests, figures and log', async () => {
  const { body, page, get } = await pageOf({ chains: [live] })
  assert.equal(page?.status, 200)
  assert.match(body, /Nothing is wrong\./)
  assert.match(
    body,
    /<td>C-Chain<\/td><td><span class="good">live<\/span><\/td><td class="num">1,200</,
  )
  assert.match(body, /<td>http:\/\/127\.0\.0\.1:9650<\/td>.*<td class="num">3 ms</)
  assert.match(body, /<td>200<\/td><td class="num">1,234</)
  assert.match(body, /<dt>Memory<\/dt><dd>3 MiB<\/dd><svg/)
  assert.match(body, /00:00:00\.000 WARN {2}main {2}&lt;b&gt; {2}at=7/)
  assert.doesNotMatch(body, /<script|<style| style=/)
  assert.match(String(page?.headers?.['content-security-policy']), /^default-src 'none'/)
  assert.equal(page?.headers?.['refresh'], undefined)
  const [, every = ''] = /href="\/ext\/firn\?([^"]+)"/.exec(body) ?? []
  assert.equal((await get('', every))?.headers?.['refresh'], '10')
  const [, sheet = ''] = /href="\/ext\/firn(\/[^"]+)"/.exec(body) ?? []
  assert.match((await get(sheet))?.contentType ?? '', /^text\/css/)
})

void test('operator page: what is wrong stands first, with what to do, every sign of others escaped', async () => {
  const away = { ...live, state: 'syncing', reason: 'node does not answer <i>' } as const
  const caught = { ...live.nodes[0]!, state: 'quarantined', problem: 'gave another hash' } as const
  const { body } = await pageOf({
    chains: [
      away,
      { ...live, name: 'L1', nodes: [caught] },
      { ...live, name: 'old', state: 'stopped', reason: 'parent differs' },
    ],
    check: () => {
      throw new Error('full & more')
    },
  })
  const problems = [...body.matchAll(/<li><span class="bad">(.*?)<\/span><br>(.*?)<\/li>/g)]
  assert.deepEqual(
    problems.map(([, what]) => what),
    [
      'C-Chain waits: node does not answer &lt;i&gt;',
      'L1 does not use http://127.0.0.1:9650: gave another hash',
      'old stopped: parent differs',
      'disk: full &amp; more',
    ],
  )
  assert.ok(problems.every(([, , help = '']) => help.endsWith('.')))
  // A chain whose node is away makes no progress, and does not look as if it did.
  assert.match(body, /<td>C-Chain<\/td><td><span class="bad">waiting<\/span>/)
})
