import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { createAdminApiClient } from '@avalanche-sdk/client'
import { avalancheLocal } from '@avalanche-sdk/client/chains'
import fc from 'fast-check'

import { Fault } from '../../src/core/fault.ts'
import { freshFolder, startHarness } from './harness.ts'
import { chains, cId, get, start } from './public-node.ts'

const levelCall = { body: '{"jsonrpc":"2.0","id":1,"method":"admin.getLoggerLevel"}' }

void test('admin: disabled means 404 for every call, and the rest is there', async (t) => {
  const node = await start(t, { settings: { apiAdminEnabled: false } })
  for (const request of [levelCall, { ...get }, { ...levelCall, path: '/ext/bc/admin' }]) {
    const { status, body } = await node.send(request)
    assert.deepEqual([status, body], [404, '404 page not found\n'])
  }
  assert.equal((await node.send({ ...get, path: '/ext/health/liveness' })).status, 200)
  assert.equal((await node.send({ ...get, path: '/ext/metrics' })).status, 200)
})

void test('admin: enabled on an address others reach is refused unless allowed', async () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com']) {
    const { folder, remove } = await freshFolder()
    const started = startHarness({ folder, settings: { host } })
    await assert.rejects(
      started,
      (error) => error instanceof Fault && error.code === 'bad-config',
      host,
    )
    await remove()
  }
})

void test('admin: a foreign host name is 403 before anything is looked at', async (t) => {
  const node = await start(t)
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:8081']) {
    const { status, body } = await node.send({ ...levelCall, host })
    assert.deepEqual([status, body], [403, 'invalid host specified\n'], host)
  }
  const open = await start(t, { settings: { allowedHosts: ['*'] } })
  assert.equal((await open.send({ ...levelCall, host: 'evil.example' })).status, 200)
  const named = await start(t, { settings: { allowedHosts: ['Node.Example'] } })
  assert.equal((await named.send({ ...levelCall, host: 'node.example:1' })).status, 200)
  assert.equal((await named.send({ ...levelCall, host: 'localhost' })).status, 403)
})

void test('admin: no web page of another origin is let in', async (t) => {
  const node = await start(t)
  const headers = {
    Origin: 'https://evil.example',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type',
  }
  for (const path of ['/ext/admin', '/ext/info', '/ext/health', '/ext/bc/C/rpc']) {
    const reply = await node.send({ method: 'OPTIONS', path, headers })
    assert.equal(reply.status, 405, path)
    const sent = Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))
    assert.deepEqual(sent, [], path)
  }
})

void test('document mode: setLoggerLevel gives {} and unknown ids have no aliases', async (t) => {
  const node = await start(t, { loggers: ['C'] })
  const set = await node.call('admin.setLoggerLevel', { loggerName: 'C', logLevel: 'debug' })
  assert.deepEqual(set, { jsonrpc: '2.0', result: {}, id: 1 })
  assert.deepEqual((await node.call('admin.getLoggerLevel', { loggerName: 'C' })).result, {
    loggerLevels: { C: { logLevel: 'DEBUG', displayLevel: 'OFF' } },
  })
  const aliases = async (name: string): Promise<unknown> =>
    (await node.call('admin.getChainAliases', { chain: name })).result
  assert.deepEqual(await aliases('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'), {
    aliases: [],
  })
  assert.deepEqual(await aliases('43114'), { aliases: ['C', 'evm', cId] })
  const none = await node.call('admin.getChainAliases', { chain: 'nope' })
  assert.equal(none.error?.message, 'input string is smaller than the checksum size')
})

void test('document mode: levels of all change together or, with a wrong name, not at all', async (t) => {
  const node = await start(t, { loggers: ['P', 'C'] })
  await node.call('admin.setLoggerLevel', { displayLevel: 'trace' })
  const all = await node.call('admin.getLoggerLevel')
  const expected = { logLevel: 'INFO', displayLevel: 'TRACE' }
  assert.deepEqual(all.result, { loggerLevels: { C: expected, P: expected, main: expected } })
  const wrong = { loggerName: 'P', logLevel: 'OFF', displayLevel: 'loud' }
  assert.ok((await node.call('admin.setLoggerLevel', wrong)).error)
  assert.deepEqual(node.logs.levels('P'), expected)
})

void test('admin calls are logged with their arguments, on one line', async (t) => {
  const node = await start(t)
  await node.call('admin.setLoggerLevel', { loggerName: 'main', logLevel: 'debug' })
  await node.call('admin.alias', { endpoint: 'info', alias: 'a\nb' })
  const text = readFileSync(join(node.folder, 'logs', 'main.log'), 'utf8')
  const line = text.split('\n').find((each) => each.includes('"method":"alias"'))
  assert.ok(line?.includes('"msg":"API called"'))
  assert.ok(line?.includes(String.raw`a\nb`))
})

void test('aliases: live at once, on every route, and again after a restart', async (t) => {
  const { folder, remove } = await freshFolder()
  t.after(remove)
  const reply = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  const transport = { request: async () => ({ status: 200, headers: {}, body: reply }) }
  const rpc = { body: '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}' }
  const paths = [
    `/ext/bc/${cId}/rpc`,
    '/ext/bc/C/rpc',
    '/ext/C/rpc',
    '/ext/bc/mine/rpc',
    '/ext/v/rpc',
  ]
  const first = await startHarness({ folder, chains: () => chains, transport })
  await first.call('admin.aliasChain', { chain: 'C', alias: 'mine' })
  await first.call('admin.alias', { endpoint: 'bc/mine', alias: 'v' })
  await first.call('admin.alias', { endpoint: 'health', alias: 'deep/down' })
  await first.call('admin.alias', { endpoint: 'loop', alias: 'circle' })
  await first.call('admin.alias', { endpoint: 'circle', alias: 'loop' })
  for (const path of paths) assert.equal((await first.send({ ...rpc, path })).status, 200, path)
  await first.close()
  const second = await startHarness({ folder, chains: () => chains, transport })
  t.after(() => second.close())
  for (const path of paths) assert.equal((await second.send({ ...rpc, path })).status, 200, path)
  assert.equal((await second.send({ ...get, path: '/ext/deep/down/liveness' })).status, 200)
  assert.equal((await second.send({ ...get, path: '/ext/deep%2Fdown' })).status, 200)
  for (const path of [
    '/ext/circle',
    '/ext/loop/x',
    '/ext/mine/rpc',
    '/ext/deep',
    '/ext/%',
    '/ext/%ff',
  ]) {
    assert.equal((await second.send({ ...get, path })).status, 404, path)
  }
  assert.deepEqual((await second.call('firn.listAliases')).result, {
    chains: [{ alias: 'mine', target: cId }],
    routes: [
      { alias: 'v', target: 'bc/mine' },
      { alias: 'deep/down', target: 'health' },
      { alias: 'circle', target: 'loop' },
      { alias: 'loop', target: 'circle' },
    ],
  })
  await second.call('firn.removeAlias', { alias: 'mine' })
  assert.equal((await second.send({ ...rpc, path: '/ext/bc/mine/rpc' })).status, 404)
})

void test('aliases: an alias equal to a real path never hides it', async (t) => {
  const node = await start(t)
  await node.call('admin.alias', { endpoint: 'info', alias: 'health/liveness' })
  const { body } = await node.send({ ...get, path: '/ext/health/liveness' })
  assert.equal(body, '{"checks":{},"healthy":true}\n')
})

void test('health: 200 or 503 by GET with tags, always 200 by RPC', async (t) => {
  const node = await start(t)
  node.health.register('database', () => ({ ok: true }))
  node.health.register('C', () => Promise.reject(new Error('behind')), { tags: [cId] })
  await node.health.runAll()
  const status = async (path: string): Promise<number> => (await node.send({ ...get, path })).status
  assert.equal(await status('/ext/health'), 503)
  assert.equal(await status('/ext/health/readiness'), 503)
  assert.equal(await status('/ext/health?tag=other'), 200)
  assert.equal(await status(`/ext/health?tag=other&tag=${cId}`), 503)
  assert.equal(await status('/ext/health/nothing'), 404)
  const body = '{"jsonrpc":"2.0","id":1,"method":"health.health","params":{"tags":["other"]}}'
  const reply = await node.send({ path: '/ext/health', body })
  assert.equal(reply.status, 200)
  assert.match(
    reply.body,
    /^\{"jsonrpc":"2.0","result":\{"checks":\{"database":\{"message":\{"ok":true\}/,
  )
  const wrong = body.replace('["other"]', '[5]')
  assert.ok(
    (await node.send({ path: '/ext/health', body: wrong })).body.includes('unmarshal an argument'),
  )
})

void test('metrics: Prometheus text that counts the requests just made', async (t) => {
  const node = await start(t)
  await node.call('admin.getLoggerLevel')
  await node.call('admin.alias', { endpoint: 'info', alias: 'admin' })
  const reply = await node.send({ ...get, path: '/ext/metrics' })
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/)
  for (const line of [
    'firn_node_requests_total{base="admin",status="200"} 2',
    'firn_admin_calls_total{method="admin.getLoggerLevel",outcome="ok"} 1',
    'firn_admin_calls_total{method="admin.alias",outcome="error"} 1',
  ]) {
    assert.ok(reply.body.includes(line), line)
  }
  assert.match(reply.body, /firn_process_resident_bytes \d{7,}/)
})

/** Status of a body of `size` bytes sent in chunks, without a content-length. */
async function statusOfStream(port: number, size: number): Promise<number> {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < size; sent += 30_000) yield new Uint8Array(30_000)
  }
  const headers = { 'content-type': 'application/json' }
  const options = {
    method: 'POST',
    headers,
    body: ReadableStream.from(parts()),
    duplex: 'half' as const,
  }
  return (await fetch(`http://127.0.0.1:${port}/ext/admin`, options)).status
}

void test('bodies: beyond 64 KiB are 413, and nesting beyond 64 is a parse error', async (t) => {
  const node = await start(t)
  const long = {
    body: `{"jsonrpc":"2.0","id":1,"method":"admin.alias","x":"${'y'.repeat(70_000)}"}`,
  }
  assert.equal((await node.send(long)).status, 413)
  assert.equal(await statusOfStream(node.port, 3_000_000), 413)
  const nested = `{"jsonrpc":"2.0","id":${'['.repeat(30_000)}`
  const { status, body } = await node.send({ body: nested })
  assert.equal(status, 200)
  assert.ok(body.includes('"code":-32700,'))
})

void test('slow headers: a connection that trickles is closed in time', async (t) => {
  const node = await start(t)
  const socket = connect(node.port, '127.0.0.1')
  const began = performance.now()
  const timer = setInterval(() => socket.write('x'), 200)
  socket.write('POST /ext/admin HTTP/1.1\r\nHost: localhost\r\nX-')
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve).resume())
  clearInterval(timer)
  assert.ok(performance.now() - began < 8_000)
})

void test('official client: every administration method decodes', async (t) => {
  const node = await start(t, { loggers: ['C'] })
  const url = `http://127.0.0.1:${node.port}/ext/admin`
  const client = createAdminApiClient({ chain: avalancheLocal, transport: { type: 'http', url } })
  await client.alias({ endpoint: 'info', alias: 'from-sdk' })
  await client.aliasChain({ chain: cId, alias: 'sdk-chain' })
  const { aliases } = await client.getChainAliases({ chain: cId })
  assert.deepEqual(aliases, ['C', 'evm', cId, 'sdk-chain'])
  await client.setLoggerLevel({ loggerName: 'C', logLevel: 'DEBUG', displayLevel: 'INFO' })
  const { loggerLevels } = await client.getLoggerLevel({ loggerName: 'C' })
  assert.deepEqual(loggerLevels, { C: { logLevel: 'DEBUG', displayLevel: 'INFO' } })
  assert.deepEqual(await client.loadVMs(), { newVMs: {} })
  await client.startCPUProfiler()
  await client.stopCPUProfiler()
  await client.memoryProfile()
  await client.lockProfile()
  await assert.rejects(client.stopCPUProfiler(), /cpu profiler doesn't exist/)
  assert.equal((await node.send({ ...levelCall, path: '/ext/from-sdk' })).status, 200)
})

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.json(),
  fc
    .record({
      jsonrpc: fc.constantFrom('2.0', '1.0', 2, null),
      id: fc.jsonValue(),
      method: fc.oneof(
        fc.constantFrom(
          'admin.alias',
          'admin.getChainAliases',
          'admin.getLoggerLevel',
          'firn.removeAlias',
        ),
        fc.string(),
      ),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          chain: fc.string(),
          alias: fc.string(),
          loggerName: fc.string(),
          endpoint: fc.string(),
        }),
      ),
    })
    .chain((value) => {
      const text = JSON.stringify(value)
      return fc.nat(text.length).map((cut) => (cut % 3 === 0 ? text.slice(0, cut) : text))
    }),
)

void test('fuzz: no body makes a 5xx, an answer that is not JSON, or memory grow', async (t) => {
  const node = await start(t)
  const url = `http://127.0.0.1:${node.port}/ext/admin`
  const runs = Number(process.env['FIRN_LIVE_FUZZ_RUNS'] ?? 1_000)
  const post = async (body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url, { method: 'POST', headers, body })
    const text = await reply.text()
    assert.equal(reply.status, 200)
    if (text !== '') assert.equal(JSON.parse(text).jsonrpc, '2.0')
  }
  const round = (seed: number): Promise<void> =>
    fc.assert(fc.asyncProperty(bodies, post), { numRuns: runs / 4, seed })
  await round(1)
  await round(2)
  const before = process.memoryUsage().rss
  await round(3)
  await round(4)
  const grown = process.memoryUsage().rss - before
  assert.ok(grown < 96 * 1_048_576, `${grown} bytes`)
})
