/**
 * Metadata of NFTs, fetched from a server of every kind on this machine, through the transport
 * that refuses private addresses. Only the loopback address and port of that one server are let
 * through; everything else the guard judges as in the product.
 */

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'

import { faultOf } from '../../src/core/fault.ts'
import { DocumentFetcher } from '../../src/indexing/nft/fetch-document.ts'
import { readDocument } from '../../src/indexing/nft/metadata-document.ts'
import { isPublicAddress, openPublicTransport } from '../../src/world/public-transport.ts'
import { openWorld, transportOver } from '../../src/world/world.ts'
import { manualClock } from '../support/processes/manual-clock.ts'
import { systemClock } from '../support/processes/system-clock.ts'

const good = {
  name: 'Snow #1',
  image: 'ipfs://QmX/1.png',
  attributes: [{ trait_type: 'history', value: 1 }],
}
const requests: string[] = []

const pages: Record<string, (reply: ServerResponse) => void> = {
  '/good.json': (reply) => reply.end(JSON.stringify(good)),
  '/gzip.json': (reply) =>
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(good))),
  '/broken.json': (reply) => reply.end('{"name": '),
  '/page.html': (reply) => reply.end('<!doctype html><p>not here'),
  '/list.json': (reply) => reply.end('[1, 2]'),
  '/text.json': (reply) => reply.end('"text"'),
  '/deep.json': (reply) =>
    reply.end('{"attributes":' + '['.repeat(90_000) + ']'.repeat(90_000) + '}'),
  '/missing.json': (reply) => reply.writeHead(404).end(),
  '/failing.json': (reply) => reply.writeHead(500).end(),
  '/throttled.json': (reply) => reply.writeHead(429, { 'retry-after': '7200' }).end(),
  '/picture.png': (reply) => reply.writeHead(200, { 'content-type': 'image/png' }).end('{}'),
  '/huge.json': (reply) => reply.end('x'.repeat(1_048_577)),
  '/bomb.json': (reply) =>
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
  '/damaged.json': (reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
  '/cut.json': (reply) => {
    reply.writeHead(200, { 'content-length': '100' })
    reply.write('{')
    reply.destroy()
  },
  '/silent.json': () => {},
  '/once.json': (reply) => reply.writeHead(302, { location: '/good.json' }).end(),
  '/three.json': (reply) => reply.writeHead(301, { location: '/two.json' }).end(),
  '/two.json': (reply) => reply.writeHead(307, { location: '/once.json' }).end(),
  '/four.json': (reply) => reply.writeHead(308, { location: '/three.json' }).end(),
  '/circle.json': (reply) => reply.writeHead(302, { location: '/circle.json' }).end(),
  '/nowhere.json': (reply) => reply.writeHead(302).end(),
  '/to-cloud.json': (reply) =>
    reply.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/to-file.json': (reply) => reply.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-neighbour.json': (reply) =>
    reply.writeHead(302, { location: 'http://neighbour.test/' }).end(),
}

const server = createServer((request, reply) => {
  requests.push(request.url ?? '')
  const page = pages[request.url ?? '']
  if (page === undefined) reply.writeHead(404).end()
  else page(reply)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0

/** Names of the tests' own name server. */
const names: Record<string, readonly string[]> = {
  'good.test': ['127.0.0.1'],
  'neighbour.test': ['10.0.0.7'],
  'both.test': ['127.0.0.1', '192.168.1.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'empty.test': [],
}
let resolutions = 0
const opened = openPublicTransport(transportOver, {
  resolve: async (name) => {
    resolutions++
    const found = names[name]
    if (found === undefined) throw new Error(`no such name: ${name}`)
    return found
  },
  isAllowed: (each) => each === '127.0.0.1' || isPublicAddress(each),
  isAllowedPort: (each) => each === port || each === 80 || each === 443,
})
const world = openWorld()
after(async () => {
  server.closeAllConnections()
  server.close()
  await opened.close()
  await world.close()
})

const { signal } = new AbortController()
const trusted = { prefixes: [], transport: opened.transport }
const fresh = (): DocumentFetcher =>
  new DocumentFetcher({ transport: opened.transport, clock: systemClock, trusted })
const state = async (url: string, fetcher = fresh()): Promise<string> => {
  const fetched = await fetcher.first([url], signal)
  return fetched.kind === 'document' ? readDocument(fetched.bytes).status : fetched.status
}

const states: Record<string, string> = {
  'good.json': 'INDEXED',
  'gzip.json': 'INDEXED',
  'once.json': 'INDEXED',
  'three.json': 'INDEXED',
  'broken.json': 'INVALID_METADATA_JSON',
  'page.html': 'INVALID_METADATA_JSON',
  'deep.json': 'INVALID_METADATA_JSON',
  'list.json': 'INVALID_METADATA',
  'text.json': 'INVALID_METADATA',
  'missing.json': 'UNREACHABLE_TOKEN_URI',
  'failing.json': 'UNREACHABLE_TOKEN_URI',
  'cut.json': 'UNREACHABLE_TOKEN_URI',
  'throttled.json': 'THROTTLED_TOKEN_URI',
  'picture.png': 'METADATA_CONTENT_TOO_LARGE',
  'huge.json': 'METADATA_CONTENT_TOO_LARGE',
  'bomb.json': 'METADATA_CONTENT_TOO_LARGE',
  'damaged.json': 'UNKNOWN',
  'four.json': 'UNREACHABLE_TOKEN_URI',
  'circle.json': 'UNREACHABLE_TOKEN_URI',
  'nowhere.json': 'UNREACHABLE_TOKEN_URI',
  'to-cloud.json': 'UNREACHABLE_TOKEN_URI',
  'to-file.json': 'UNREACHABLE_TOKEN_URI',
  'to-neighbour.json': 'UNREACHABLE_TOKEN_URI',
}

for (const [page, expected] of Object.entries(states))
  void test(`metadata host: ${page} leaves the state ${expected}`, async () => {
    assert.equal(await state(`http://good.test:${port}/${page}`), expected)
  })

void test('metadata host: a document has the fields the standard names', async () => {
  const fetched = await fresh().first([`http://good.test:${port}/good.json`], signal)
  assert.ok(fetched.kind === 'document')
  assert.deepEqual(readDocument(fetched.bytes).fields, {
    name: 'Snow #1',
    imageUri: 'ipfs://QmX/1.png',
    attributes: '[{"trait_type":"history","value":1}]',
  })
})

void test('metadata host: a redirect to a private address is never followed', async () => {
  requests.length = 0
  await state(`http://good.test:${port}/to-cloud.json`)
  await state(`http://good.test:${port}/to-neighbour.json`)
  assert.deepEqual(requests, ['/to-cloud.json', '/to-neighbour.json'])
})

void test('metadata host: throttling tells how long the host wants to be left alone', async () => {
  const fetched = await fresh().first([`http://good.test:${port}/throttled.json`], signal)
  assert.deepEqual(fetched, {
    kind: 'failed',
    status: 'THROTTLED_TOKEN_URI',
    retryAfterSeconds: 7_200,
  })
})

void test('metadata host: of several gateways the first with a document answers', async () => {
  const at = (page: string): string => `http://good.test:${port}/${page}`
  const fetched = await fresh().first(
    [at('missing.json'), at('good.json'), at('list.json')],
    signal,
  )
  assert.ok(fetched.kind === 'document')
  assert.equal(readDocument(fetched.bytes).fields.name, 'Snow #1')
})

void test('metadata host: requests to a silent one end in time, then pause', async () => {
  const clock = manualClock()
  const silent = `http://good.test:${port}/silent.json`
  // Counted where they are sent: on a busy machine the time may end before the host has read one.
  let sent = 0
  const impatient = {
    request: (request: Parameters<typeof opened.transport.request>[0]) => {
      assert.ok(request.timeoutMs <= 10_000)
      if (request.url !== silent) return opened.transport.request(request)
      sent++
      return opened.transport.request({ ...request, timeoutMs: 50 })
    },
  }
  const fetcher = new DocumentFetcher({ transport: impatient, clock, trusted })
  for (let at = 0; at < 5; at++) assert.equal(await state(silent, fetcher), 'UNREACHABLE_TOKEN_URI')
  assert.equal(sent, 3)
  clock.nowMs += 600_001
  assert.equal(await state(`http://good.test:${port}/good.json`, fetcher), 'INDEXED')
})

void test('metadata host: a name is resolved once for a connection, and that address used', async () => {
  const before = resolutions
  let answers = 0
  const rebinding = openPublicTransport(transportOver, {
    resolve: async () => (answers++ === 0 ? ['127.0.0.1'] : ['10.0.0.7']),
    isAllowed: (each) => each === '127.0.0.1',
    isAllowedPort: () => true,
  })
  const reply = await rebinding.transport.request({
    url: `http://rebinding.test:${port}/good.json`,
    method: 'GET',
    timeoutMs: 5_000,
    maxBytes: 10_000,
  })
  await rebinding.close()
  assert.equal(reply.status, 200)
  assert.equal(answers, 1)
  assert.equal(resolutions, before)
})

/** Every way to write an address that is not for the public, and names that lead there. */
const hostile = [
  'http://127.0.0.2/',
  'http://127.1/',
  'http://2130706434/',
  'http://0x7f000002/',
  'http://0177.0.0.2/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://192.0.0.1/',
  'http://198.18.0.1/',
  'http://203.0.113.9/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[2001::1]/',
  'http://[2002:7f00:1::]/',
  'http://[100::1]/',
  'http://neighbour.test/',
  'http://both.test/',
  'http://mapped.test/',
  'http://empty.test/',
  'http://unheard-of.test/',
  'http://good.test:22/',
  'http://good.test:6379/',
  'http://good.test:9650/ext/admin',
]

for (const url of hostile)
  void test(`metadata guard: ${url} is not requested`, async () => {
    requests.length = 0
    assert.equal(await state(url), 'UNREACHABLE_TOKEN_URI')
    assert.deepEqual(requests, [])
  })

void test('metadata guard: the product lets neither loopback nor unusual ports through', async () => {
  const { publicTransport } = world
  assert.ok(publicTransport !== undefined)
  for (const url of [
    `http://127.0.0.1:${port}/`,
    'http://127.0.0.1/',
    `http://localhost/`,
    'http://1.1.1.1:8080/',
  ])
    await assert.rejects(
      publicTransport.request({ url, method: 'GET', timeoutMs: 5_000, maxBytes: 1_000 }),
      (error) => ['node-refused', 'node-unreachable'].includes(faultOf(error)?.code ?? ''),
      url,
    )
})

void test('metadata guard: addresses of the public pass', () => {
  for (const each of [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])
    assert.ok(isPublicAddress(each), each)
  for (const each of ['', 'localhost', '1.1.1', 'fe80::1%eth0', '2606:4700::1111%1'])
    assert.ok(!isPublicAddress(each), each)
})
