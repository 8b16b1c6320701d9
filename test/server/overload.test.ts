/** More than the API can answer: who is refused, who is not, and what is not done at all. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { usualLoadLimits } from '../../src/api/server/front/load-limits.ts'
import { mountExplorer } from '../../src/service/web/explorer-mount.ts'
import { spin, startCounted } from '../support/nodes/counted-server.ts'
import { openRaw, type RawAnswer } from '../support/services/raw-http.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

const flooders = 60
const rounds = 10

void test('overload: refused early in the documented form, others answered, none lost', async (t) => {
  const server = await startCounted(t, { load: { ...usualLoadLimits, maxQueuedMs: 20 }, listMs: 4 })
  const flood = await Promise.all(Array.from({ length: flooders }, () => openRaw(t, server.port)))
  const elsewhere = await openRaw(t, server.port, '127.0.0.2')
  const health = await openRaw(t, server.port)
  const item = await openRaw(t, server.port)
  let isOver = false
  const outcomes: RawAnswer[] = []
  const running = flood.map(async ({ socket, reply }) => {
    while (!isOver) {
      socket.write(get('/v1/list'))
      outcomes.push(await reply())
    }
  })
  // Another address keeps one request under way: it gets all of them, and soon.
  let most = 0
  for (let at = 0; at < rounds; at++) {
    const before = server.begun('list')
    elsewhere.socket.write(get('/v1/list'))
    const { status, body } = await elsewhere.reply()
    assert.equal(status, 200, body)
    health.socket.write(get('/v1/live-check'))
    assert.equal((await health.reply()).status, 200)
    item.socket.write(get('/v1/item'))
    assert.equal((await item.reply()).status, 200)
    most = Math.max(most, server.begun('list') - before)
  }
  isOver = true
  await Promise.all(running)
  assert.ok(most <= 20, `${most} lists of the flood were begun during three requests of others`)
  const answered = outcomes.filter(({ status }) => status === 200)
  const refused = outcomes.filter(({ status }) => status === 503)
  assert.equal(answered.length + refused.length, outcomes.length)
  assert.equal(answered.length + rounds, server.begun('list'))
  assert.ok(refused.length > 0)
  for (const { headers, body } of refused) {
    assert.equal(headers['retry-after'], '1')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(JSON.parse(body), {
      message: 'the service is at its limit',
      error: 'Service Unavailable',
      statusCode: 503,
    })
  }
  const text = await server.gauges.text()
  const line = `firn_api_turned_away_total{lane="list",outcome="full"} ${refused.length}\n`
  assert.ok(text.includes(line), line)
  assert.ok(text.includes('firn_api_waiting_requests{lane="list"} 0\n'))
  assert.ok(text.includes('firn_api_under_way_requests{lane="list"} 0\n'))
})

void test('overload: nothing is done for callers who have gone', async (t) => {
  const server = await startCounted(t, { load: usualLoadLimits, listMs: 20 })
  const callers = await Promise.all(Array.from({ length: 60 }, () => openRaw(t, server.port)))
  const first = server.nextBegun()
  for (const { socket } of callers) {
    socket.write(get('/v1/list'))
    socket.destroy()
  }
  await first
  const after = await openRaw(t, server.port)
  after.socket.write(get('/v1/list'))
  assert.equal((await after.reply()).status, 200)
  assert.ok(server.begun('list') <= 10, `${server.begun('list')} were begun`)
})

void test('overload: a body that trickles in holds no place of an answer', async (t) => {
  // A busy machine delays the loop: its delay must not be what refuses here.
  const load = { ...usualLoadLimits, maxUnderWay: 2, maxUnderWayPerAddress: 1, maxQueuedMs: 60_000 }
  const server = await startCounted(t, { load })
  const head = 'POST /v1/echo HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n'
  const slow = await Promise.all(Array.from({ length: 20 }, () => openRaw(t, server.port)))
  for (const { socket } of slow) socket.write(`${head}content-length: 11\r\n\r\n{"text`)
  const other = await openRaw(t, server.port)
  for (let at = 0; at < 20; at++) {
    other.socket.write(get('/v1/list'))
    assert.equal((await other.reply()).status, 200)
  }
  for (const { socket } of slow) socket.write('":""}')
  for (const { reply } of slow) assert.deepEqual((await reply()).body, '{"text":""}')
})

void test('overload: a list with a body waits for its turn as any other', async (t) => {
  const load = { ...usualLoadLimits, maxWaitingPerAddress: 8 }
  const server = await startCounted(t, { load, listMs: 20 })
  const callers = await Promise.all(Array.from({ length: 60 }, () => openRaw(t, server.port)))
  for (const { socket } of callers)
    socket.write('GET /v1/list HTTP/1.1\r\nHost: a\r\ncontent-length: 1\r\n\r\nx')
  const statuses = await Promise.all(callers.map(async ({ reply }) => (await reply()).status))
  assert.deepEqual(new Set(statuses), new Set([200, 503]))
  assert.equal(server.begun('list'), statuses.filter((status) => status === 200).length)
})

void test('overload: a page that took long is not followed by a refusal of its files', async (t) => {
  const server = await startCounted(t, {
    load: usualLoadLimits,
    mount: (http) =>
      mountExplorer(http, async () => {
        spin(400)
        return { version: '0', role: 'all', startedAt: 0, chains: [] }
      }),
  })
  const [first, ...others] = await Promise.all(
    Array.from({ length: 24 }, () => openRaw(t, server.port)),
  )
  first?.socket.write(get('/'))
  const page = await first?.reply()
  assert.equal(page?.status, 200)
  const style = /\/explorer\/[^"]*\.css/.exec(page.body)?.[0] ?? ''
  // All at once, as browsers that open the page at the same moment ask.
  for (const { socket } of others) socket.write(get(style))
  const answers = await Promise.all(others.map(({ reply }) => reply()))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})
