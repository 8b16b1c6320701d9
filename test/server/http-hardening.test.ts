import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'

import { operation } from '../../src/api/operation/operation.ts'
import { createServer, type ApiServer } from '../../src/api/server/server.ts'
import { contracts } from '../../src/shape/operations/contract.ts'
import { Type } from '../../src/shape/type.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { openWorld } from '../../src/world/world.ts'

let server: ApiServer
let url = ''

before(async () => {
  const nothing = Type.Object({})
  const things = contracts('Service', {
    echo: {
      path: '/v1/things/{name}/parts:list',
      summary: 'echo',
      pathParameters: { name: Type.String({ pattern: '^[a-z]{1,2000}$' }) },
      query: { pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) },
      response: Type.Object({ name: Type.String() }),
    },
    put: {
      method: 'POST',
      path: '/v1/things',
      summary: 'put',
      body: Type.Object({ name: Type.String() }, { additionalProperties: false }),
      response: nothing,
    },
    broken: {
      path: '/v1/broken',
      summary: 'broken',

      response: nothing,
    },
  })
  server = createServer({
    operations: [
      operation(things.echo, async ({ path: { name } }) => ({ body: { name }, immutable: true })),
      operation(things.put, async () => ({ body: {} })),
      operation(things.broken, async () => {
        throw new Error('secret detail')
      }),
    ],
    dialectRules: {},
    dialect: 'auto',
    log: silentLog,
    clock: openWorld().clock,
    limits: { maxConnections: 50, requestTimeoutMs: 1_000, handlerTimeoutMs: 1_000 },
  })
  url = await server.listen('127.0.0.1', 0)
})
after(() => server.close())

async function errorOf(path: string, init?: RequestInit) {
  const reply = await fetch(url + path, init)
  const body = (await reply.json()) as Record<string, unknown>
  assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'statusCode'], path)
  assert.equal(body['statusCode'], reply.status, path)
  assert.equal(reply.headers.get('x-content-type-options') ?? 'nosniff', 'nosniff')
  return { status: reply.status, message: String(body['message']), reply }
}

void test('server: a verb after a colon is literal, also percent-encoded', async () => {
  for (const path of [
    '/v1/things/abc/parts:list',
    '/v1/things/abc/parts%3Alist',
    '/v1/things/abc/parts%3alist',
  ]) {
    const reply = await fetch(url + path)
    assert.equal(reply.status, 200, path)
    assert.deepEqual(await reply.json(), { name: 'abc' })
  }
})

void test('server: every failure has the documented body', async () => {
  const long = 'a'.repeat(1_500)
  assert.equal((await fetch(`${url}/v1/things/${long}/parts:list`)).status, 200)
  const json = { 'content-type': 'application/json' }
  for (const [path, init, status] of [
    ['/v1/nothing', undefined, 404],
    ['/v1/things', undefined, 405],
    ['/v1/things/ABC/parts:list', undefined, 400],
    ['/v1/things/%00/parts:list', undefined, 400],
    ['/v1/things/..%2fx/parts:list', undefined, 400],
    ['/v1/things/%zz/parts:list', undefined, 400],
    [`/v1/things/${'a'.repeat(5_000)}/parts:list`, undefined, 414],
    ['/v1/things/a/parts:list?pageSize=10', undefined, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '{' }, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '[]' }, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '{"__proto__":{}}' }, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '{"name":1}' }, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '{"name":"a","b":1}' }, 400],
    ['/v1/things', { method: 'POST', headers: json, body: '['.repeat(100_000) }, 400],
    [
      '/v1/things',
      { method: 'POST', headers: json, body: JSON.stringify({ name: 'a'.repeat(600_000) }) },
      413,
    ],
    ['/v1/things', { method: 'POST', headers: { 'content-type': 'text/xml' }, body: 'x' }, 415],
  ] as const) {
    const answer = await errorOf(path, init)
    assert.equal(
      answer.status,
      status,
      `${path} ${init?.body?.slice(0, 40) ?? ''}: ${answer.message}`,
    )
  }
})

void test('server: a bug is a 500 that tells nothing', async () => {
  const { status, message } = await errorOf('/v1/broken')
  assert.equal(status, 500)
  assert.doesNotMatch(message, /secret/)
})

void test('server: HEAD answers as GET without a body, and an ETag saves the body', async () => {
  const head = await fetch(`${url}/v1/things/abc/parts:list`, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(await head.text(), '')
  const etag = head.headers.get('etag') ?? ''
  const again = await fetch(`${url}/v1/things/abc/parts:list`, {
    headers: { 'if-none-match': etag },
  })
  assert.equal(again.status, 304)
})

void test('server: a request that is not HTTP gets a 400, a slow head is cut off', async () => {
  const { hostname, port } = new URL(url)
  const junk = connect(Number(port), hostname)
  junk.end('hello\r\n\r\n')
  const [answer] = (await once(junk, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 400 /)

  const two = connect(Number(port), hostname)
  two.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: evil.example\r\n\r\n')
  const [refused] = (await once(two, 'data')) as [Buffer]
  assert.match(refused.toString(), /^HTTP\/1\.1 400 /)
  two.destroy()

  const slow = connect(Number(port), hostname)
  slow.write('GET / HTTP/1.1\r\nHost: x\r\n')
  slow.resume()
  await once(slow, 'close', { signal: AbortSignal.timeout(9_000) })
})
