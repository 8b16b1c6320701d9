/** Harm that one connection, or one address by many, can do to the API: through bare sockets. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'

import { usualLoadLimits, type LoadLimits } from '../../src/api/server/front/load-limits.ts'
import { startCounted, type CountedServer } from '../support/nodes/counted-server.ts'
import { openRaw } from '../support/services/raw-http.ts'

const start = (t: TestContext, load: Partial<LoadLimits> = {}): Promise<CountedServer> =>
  startCounted(t, { load: { ...usualLoadLimits, ...load } })

const list = 'GET /v1/list HTTP/1.1\r\nHost: a\r\n\r\n'
const health = 'GET /v1/live-check HTTP/1.1\r\nHost: a\r\n\r\n'

void test('pipelining: a thousand requests on a socket begin one after the other, others between', async (t) => {
  const server = await start(t)
  const other = await openRaw(t, server.port)
  const flood = await openRaw(t, server.port)
  const first = server.nextBegun()
  flood.socket.write(list.repeat(1_000))
  await first
  other.socket.write(health)
  assert.equal((await other.reply()).status, 200)
  assert.ok(server.begun('list') <= 5, `${server.begun('list')} lists were begun before`)
  for (let at = 0; at < 1_000; at++) {
    const reply = await flood.reply()
    assert.deepEqual([reply.status, reply.body], [200, `{"number":${at}}`])
  }
  assert.equal(server.mostAtOnce('list'), 1)
})

void test('pipelining: bodies and heads in any pieces are answered in their order', async (t) => {
  const server = await start(t)
  const echo = (text: string): string => {
    const body = JSON.stringify({ text })
    return `POST /v1/echo HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
  const texts = ['', '\r\n\r\nGET / HTTP/1.1\r\n\r\n', 'x'.repeat(20_000), 'last']
  const all = texts.map(echo).join('')
  for (const size of [1, 3, 64, 1_000, all.length]) {
    const raw = await openRaw(t, server.port)
    for (let at = 0; at < all.length; at += size) raw.socket.write(all.slice(at, at + size))
    for (const text of texts) {
      const { status, body } = await raw.reply()
      assert.deepEqual([status, JSON.parse(body)], [200, { text }], `pieces of ${size}`)
    }
    raw.socket.destroy()
  }
})

void test('slow reader: gets one answer made at a time, and all of them when it reads', async (t) => {
  const server = await start(t)
  const slow = await openRaw(t, server.port)
  slow.socket.pause()
  const first = server.nextBegun()
  slow.socket.write('GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5))
  await first
  const other = await openRaw(t, server.port)
  for (let at = 0; at < 50; at++) {
    other.socket.write(health)
    assert.equal((await other.reply()).status, 200)
  }
  assert.equal(server.begun('large'), 1)
  slow.socket.resume()
  for (let at = 0; at < 5; at++) assert.equal((await slow.reply()).body.length, server.largeBytes)
})

void test('slow readers: beyond the limit of bytes the one who leaves most is cut off', async (t) => {
  const server = await start(t, { maxUnsentBytes: 20_000_000 })
  const closed: string[] = []
  const opened = []
  // An answer counts as a whole until its last byte was taken: two of 8 MB fit, three do not.
  for (const name of ['first', 'second', 'third']) {
    const raw = await openRaw(t, server.port)
    raw.socket.pause()
    raw.socket.on('error', () => undefined)
    opened.push({ name, raw, ended: once(raw.socket, 'close').then(() => closed.push(name)) })
    const begun = server.nextBegun()
    raw.socket.write('GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n')
    await begun
  }
  const [first] = opened
  first?.raw.socket.resume()
  await first?.ended
  assert.deepEqual(closed, ['first'])
  assert.deepEqual(server.dropped(), ['unsent'])
})

void test('slow readers: an answer that is not taken in time ends its connection', async (t) => {
  const server = await start(t, { sendTimeoutMs: 100 })
  const slow = await openRaw(t, server.port)
  slow.socket.pause()
  slow.socket.on('error', () => undefined)
  slow.socket.write('GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n')
  await server.nextDropped()
  assert.deepEqual(server.dropped(), ['slow'])
  slow.socket.resume()
  await once(slow.socket, 'close')
})

void test('slow readers: a stream of which nothing is taken ends, one that is read goes on', async (t) => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(65_536)
  }
  const server = await startCounted(t, {
    load: { ...usualLoadLimits, sendTimeoutMs: 200 },
    mount: (http) =>
      http.get('/endless', (_request, reply) => reply.send(Readable.from(endless()))),
  })
  const ask = 'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n'
  const reader = connect(server.port, '127.0.0.1')
  let read = 0
  reader.on('data', (chunk: Buffer) => (read += chunk.length))
  reader.write(ask)
  const silent = await openRaw(t, server.port)
  silent.socket.pause()
  silent.socket.on('error', () => undefined)
  silent.socket.write(ask)
  await server.nextDropped()
  assert.deepEqual(server.dropped(), ['slow'])
  const before = read
  await once(reader, 'data')
  assert.ok(read > before)
  reader.destroy()
})

void test('connections: one address has a limit, another address may still connect', async (t) => {
  const server = await start(t, { maxPerAddress: 3 })
  const held = []
  for (let at = 0; at < 3; at++) {
    const raw = await openRaw(t, server.port)
    raw.socket.write(health)
    assert.equal((await raw.reply()).status, 200)
    held.push(raw)
  }
  const fourth = await openRaw(t, server.port)
  const refused = await fourth.reply()
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '1')
  assert.match(refused.headers['x-request-id'] ?? '', /^req-\w+$/)
  assert.deepEqual(JSON.parse(refused.body), {
    message: 'the service is at its limit',
    error: 'Service Unavailable',
    statusCode: 503,
  })
  assert.deepEqual(server.dropped(), ['connections'])
  const elsewhere = await openRaw(t, server.port, '127.0.0.2')
  elsewhere.socket.write(health)
  assert.equal((await elsewhere.reply()).status, 200)

  const gone = server.nextClosed()
  held[0]?.socket.destroy()
  await gone
  const again = await openRaw(t, server.port)
  again.socket.write(health)
  assert.equal((await again.reply()).status, 200)
})
