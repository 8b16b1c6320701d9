/**
 * Answers of the data API outside its operations: wrong methods, hosts and pages of other sites,
 * what the parser refuses. Through bare sockets, since clients send none of it.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test, type TestContext } from 'node:test'

import { operation } from '../../src/api/operation/operation.ts'
import { corsPolicy } from '../../src/api/server/front/cors.ts'
import type { WebRules } from '../../src/api/server/front/request-checks.ts'
import { createServer, type ApiServer } from '../../src/api/server/server.ts'
import { Fault } from '../../src/core/fault.ts'
import { contracts } from '../../src/shape/operations/contract.ts'
import { Type } from '../../src/shape/type.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { openWorld } from '../../src/world/world.ts'
import { openRaw, type RawAnswer } from '../support/services/raw-http.ts'

const shape = {
  summary: 'a test',
  weight: 1,
  pathParameters: { id: Type.String() },
  response: Type.Object({}),
} as const
const things = contracts('Service', {
  getThing: { ...shape, path: '/v1/things/{id}' },
  putThing: { ...shape, method: 'POST', path: '/v1/things/{id}:renew' },
  findThings: {
    ...shape,
    method: 'POST',
    path: '/v1/things',
    pathParameters: {},
    body: Type.Object({ name: Type.String() }),
  },
  callThings: {
    ...shape,
    method: 'POST',
    path: '/v1/rpc',
    isJsonRpc: true,
    pathParameters: {},
    body: Type.Unknown(),
  },
})
const operations = [
  operation(things.getThing, async () => ({ body: {} })),
  operation(things.putThing, async () => ({ body: {} })),
  operation(things.findThings, async () => ({ body: {} })),
  operation(things.callThings, async () => {
    throw new Fault('rate-limited', 'too many')
  }),
]

function serve(web: WebRules): ApiServer {
  return createServer({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- operations of several shapes in one list
    operations: operations as never,
    dialectRules: {},
    dialect: 'auto',
    log: silentLog,
    clock: openWorld().clock,
    limits: { maxConnections: 50, requestTimeoutMs: 1_000, handlerTimeoutMs: 1_000 },
    web,
  })
}

const portOf = (url: string): number => Number(new URL(url).port)

let server: ApiServer
let port = 0
before(async () => {
  server = serve({ allowedHosts: ['localhost'], cors: corsPolicy(['auto'], '127.0.0.1') })
  port = portOf(await server.listen('127.0.0.1', 0))
})
after(() => server.close())

/** Sends a request as it is written; a line `Host` is added unless there is one. */
async function ask(t: TestContext, text: string, to = port): Promise<RawAnswer> {
  const connection = await openRaw(t, to)
  const [head = '', ...body] = text.split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const named = lines.some((line) => line.toLowerCase().startsWith('host:'))
  const all = [first, ...(named ? [] : [`Host: 127.0.0.1:${to}`]), ...lines]
  connection.socket.write([...all, '', body.join('\n\n')].join('\r\n'))
  return connection.reply()
}

/** The error body, after looking at the headers every answer has. */
function errorIn(answer: RawAnswer): { readonly statusCode: number; readonly message: string } {
  assert.match(answer.headers['x-request-id'] ?? '', /^req-\w+$/)
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  const body = JSON.parse(answer.body)
  assert.deepEqual(Object.keys(body).toSorted(), ['error', 'message', 'statusCode'])
  assert.equal(body.statusCode, answer.status)
  return body
}

void test('method: 405 with Allow where the path is known, 404 where it is not', async (t) => {
  for (const [line, allow] of [
    ['DELETE /v1/things/1', 'GET, HEAD, OPTIONS'],
    ['POST /v1/things/1?x=y', 'GET, HEAD, OPTIONS'],
    ['PROPFIND /v1/things/1', 'GET, HEAD, OPTIONS'],
    ['TRACE /v1/things/1', 'GET, HEAD, OPTIONS'],
    ['GET /v1/things/1:renew', 'POST, OPTIONS'],
    ['PUT /v1/things/1%3Arenew', 'POST, OPTIONS'],
    ['GET /v1/things', 'POST, OPTIONS'],
  ] as const) {
    const answer = await ask(t, `${line} HTTP/1.1`)
    assert.equal(errorIn(answer).statusCode, 405, line)
    assert.equal(answer.headers['allow'], allow, line)
  }
  for (const line of ['DELETE /v1/nothing', 'PUT /v1/things/1/2', 'POST /'])
    assert.equal(errorIn(await ask(t, `${line} HTTP/1.1`)).statusCode, 404, line)
})

void test('OPTIONS: the answer names the methods of a path, and of the whole service for *', async (t) => {
  for (const [path, status, allow] of [
    ['/v1/things/1', 204, 'GET, HEAD, OPTIONS'],
    ['/v1/things/1:renew', 204, 'POST, OPTIONS'],
    ['*', 204, 'GET, HEAD, POST, OPTIONS'],
  ] as const) {
    const connection = await openRaw(t, port)
    connection.socket.write(`OPTIONS ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [head] = (await once(connection.socket, 'data')) as [Buffer]
    assert.match(head.toString(), new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.ok(head.toString().includes(`allow: ${allow}\r\n`), head.toString())
  }
  assert.equal((await ask(t, 'OPTIONS /v1/nothing HTTP/1.1')).status, 404)
})

void test('errors before routing: each its status, the body and the headers of all others', async (t) => {
  const json = 'Content-Type: application/json'
  const cases: readonly (readonly [string, number])[] = [
    ['hello', 400],
    ['GET /v1/things/1 HTTP/1.1\nHost:', 400],
    ['GET /v1/things/%zz HTTP/1.1', 400],
    [`GET /v1/things/${'a'.repeat(5_000)} HTTP/1.1`, 414],
    [`GET /v1/things/1 HTTP/1.1\nX-Long: ${'a'.repeat(20_000)}`, 431],
    [`GET /v1/things/1?${'a'.repeat(20_000)} HTTP/1.1`, 431],
    ['GET /v1/things/1 HTTP/1.1\nExpect: the unexpected', 417],
    [`POST /v1/things HTTP/1.1\n${json}\nContent-Length: 900000\n\n{`, 413],
    ['POST /v1/things HTTP/1.1\nContent-Type: text/plain\nContent-Length: 2\n\n{}', 415],
    ['POST /v1/things HTTP/1.1\nContent-Length: 2\n\n{}', 415],
    ['POST /v1/things/1:renew HTTP/1.1\nContent-Type: text/plain\nContent-Length: 1\n\nx', 415],
    [`POST /v1/things HTTP/1.1\n${json}\nContent-Length: 100\n\n{`, 408],
    ['GET /v1/things/1 HTTP/1.1\nX-Unfinished: yes', 408],
  ]
  for (const [text, status] of cases) {
    const unfinished = text.endsWith('X-Unfinished: yes')
    const connection = await openRaw(t, port)
    const noHost = text.endsWith('Host:')
    const [head = '', body = ''] = text.split('\n\n')
    const lines = head.replace(/\nHost:$/, '').split('\n')
    if (!noHost && text !== 'hello') lines.push('Host: localhost')
    connection.socket.write(`${lines.join('\r\n')}\r\n${unfinished ? '' : '\r\n'}${body}`)
    const answer = await connection.reply()
    assert.equal(errorIn(answer).statusCode, status, text.slice(0, 60))
  }
  const tunnel = await ask(t, 'CONNECT example.org:443 HTTP/1.1')
  assert.equal(errorIn(tunnel).statusCode, 405)
})

void test('a body of another content type: the answer says which is taken', async (t) => {
  for (const [line, given] of [
    ['Content-Type: text/plain', 'text/plain'],
    ['Content-Type: application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
    ['X: y', 'nothing'],
  ]) {
    const { message } = errorIn(
      await ask(t, `POST /v1/things HTTP/1.1\n${line}\nContent-Length: 2\n\n{}`),
    )
    assert.equal(message, `the body must be sent with content-type application/json: ${given}`)
  }
})

void test('a JSON-RPC call that fails, or comes to a wrong path, gets a JSON-RPC error', async (t) => {
  const call = '{"jsonrpc":"2.0","id":"seven","method":"eth_chainId"}'
  const batch = `[${call}]`
  for (const [path, text, status, error] of [
    ['/', call, 404, [-32_000, /^no such route: POST \/ .*\/v1\/chains\/\{chainId\}\/rpc/]],
    ['/v1/things/1', call, 405, [-32_000, /^POST is not served/]],
    ['/ext/bc/C/rpc', batch, 404, [-32_000, /no such route/]],
    ['/v1/rpc', call, 429, [-32_005, /too many/]],
    ['/v1/rpc', '{', 400, [-32_700, /JSON/]],
  ] as const) {
    const head = `Content-Type: application/json\nContent-Length: ${text.length}`
    const answer = await ask(t, `POST ${path} HTTP/1.1\n${head}\n\n${text}`)
    assert.equal(answer.status, status, path)
    const response = JSON.parse(answer.body)
    assert.equal(response.jsonrpc, '2.0')
    assert.equal(response.id, text === call ? 'seven' : null)
    assert.equal(response.error.code, error[0])
    assert.match(response.error.message, error[1])
  }
})

void test('host: on loopback only names that were allowed, against DNS rebinding', async (t) => {
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost',
    'LOCALHOST:8080',
    '[::1]',
    '[::1]:1',
    '10.1.2.3',
  ])
    assert.equal((await ask(t, `GET /v1/things/1 HTTP/1.1\nHost: ${host}`)).status, 200, host)
  for (const host of [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '1.2.3',
    'x:y:z',
  ])
    assert.equal(
      errorIn(await ask(t, `GET /v1/things/1 HTTP/1.1\nHost: ${host}`)).statusCode,
      403,
      host,
    )
})

void test('pages of other sites: CORS as the policy says, nothing sent without asking', async (t) => {
  const page = (origin: string): string => `GET /v1/things/1 HTTP/1.1\nOrigin: ${origin}`
  for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173']) {
    const { headers } = await ask(t, page(origin))
    assert.equal(headers['access-control-allow-origin'], origin)
    assert.match(headers['access-control-expose-headers'] ?? '', /x-indexed-height.*ratelimit-/)
    assert.match(headers['vary'] ?? '', /origin/i)
  }
  for (const origin of ['https://app.example', 'null', 'http://localhost.app.example', 'file://']) {
    const { headers, status } = await ask(t, page(origin))
    assert.equal(headers['access-control-allow-origin'], undefined, origin)
    assert.match(headers['vary'] ?? '', /origin/i)
    assert.equal(status, 200, 'a browser keeps the answer from the page')
  }
  const renew = 'POST /v1/things/1:renew HTTP/1.1\nContent-Length: 0\n'
  const local = 'Origin: http://localhost:3000'
  for (const [lines, status] of [
    ['', 200],
    ['Sec-Fetch-Site: same-origin', 200],
    ['Sec-Fetch-Site: cross-site', 403],
    ['Sec-Fetch-Site: same-site', 403],
    ['Origin: https://evil.example', 403],
    ['Origin: null', 403],
    [local, 403],
    [`${local}\nSec-Fetch-Site: same-site\nx-service-api-key: k`, 200],
    ['Origin: https://evil.example\nx-service-api-key: k', 403],
  ] as const)
    assert.equal((await ask(t, `${renew}${lines}`.trimEnd())).status, status, lines)
})

void test('preflight: answered with methods and headers where the page may, without where not', async (t) => {
  const open = serve({ allowedHosts: ['*'], cors: corsPolicy(['auto'], '0.0.0.0') })
  t.after(() => open.close())
  const named = serve({
    allowedHosts: ['*'],
    cors: corsPolicy(['https://app.example'], '127.0.0.1'),
  })
  t.after(() => named.close())
  const openUrl = await open.listen('127.0.0.1', 0)
  const namedUrl = await named.listen('127.0.0.1', 0)
  const preflight = async (url: string, origin: string): Promise<Headers> => {
    const reply = await fetch(`${url}/v1/things`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-service-api-key',
      },
    })
    assert.equal(reply.status, 204)
    return reply.headers
  }
  const any = await preflight(openUrl, 'https://app.example')
  assert.equal(any.get('access-control-allow-origin'), '*')
  assert.equal(any.get('access-control-allow-methods'), 'POST')
  assert.equal(any.get('access-control-allow-headers'), 'content-type,x-service-api-key')
  assert.equal(any.get('access-control-allow-credentials'), null)
  const one = await preflight(namedUrl, 'https://app.example')
  assert.equal(one.get('access-control-allow-origin'), 'https://app.example')
  const other = await preflight(namedUrl, 'https://evil.example')
  assert.equal(other.get('access-control-allow-origin'), null)
  assert.equal(other.get('access-control-allow-methods'), null)
  const missing = await fetch(`${openUrl}/v1/nothing`, { headers: { origin: 'https://a.example' } })
  assert.equal(missing.status, 404)
  assert.equal(missing.headers.get('access-control-allow-origin'), '*')
  for (const wrong of ['app.example', 'https://app.example/path', '*'])
    assert.throws(
      () => corsPolicy([wrong], '127.0.0.1'),
      /api\.cors takes .*https:\/\/app\.example/,
    )
})
