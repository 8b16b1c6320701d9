/**
 * Pictures of NFTs, fetched from a hostile server on this machine through the transport that
 * refuses private addresses: only a picture by its own bytes, of at most 2 MiB, is ever sent on.
 */

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'

import {
  createPictures,
  maxKeptBytes,
  maxPictureBytes,
  pictureAnswer,
  type FindPicture,
  pictureType,
} from '../../src/service/web/pictures.ts'
import { isPublicAddress, openPublicTransport } from '../../src/world/public-transport.ts'
import { openWorld, transportOver } from '../../src/world/world.ts'

// The smallest PNG there is: one transparent pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const evilSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>fetch("/v1/chains")</script></svg>'
const large = Buffer.concat([png, Buffer.alloc(maxPictureBytes - png.length)])
const requests: string[] = []

const pages: Record<string, (reply: ServerResponse) => void> = {
  '/good.png': (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end(png),
  '/evil.svg': (reply) => reply.writeHead(200, { 'content-type': 'image/png' }).end(evilSvg),
  '/page.png': (reply) =>
    reply.writeHead(200, { 'content-type': 'image/png' }).end('<html><script>alert(1)</script>'),
  '/script.svg': (reply) => reply.end('alert("<svg>")'),
  '/nothing.png': (reply) => reply.end(),
  '/largest.png': (reply) => reply.end(large),
  '/larger.png': (reply) => reply.end(Buffer.concat([large, Buffer.alloc(1)])),
  '/endless.png': (reply) => {
    reply.write(png)
    const more = (): void => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
      if (!reply.destroyed) reply.once('drain', more)
    }
    more()
  },
  '/inward.png': (reply) =>
    reply.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/missing.png': (reply) => reply.writeHead(404).end(png),
}
const server = createServer((request, reply) => {
  const path = (request.url ?? '').replace(/\?.*/, '')
  requests.push(path)
  const page = pages[path]
  if (page === undefined) reply.writeHead(404).end()
  else page(reply)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const listening = server.address()
const port = typeof listening === 'object' && listening !== null ? listening.port : 0
const opened = openPublicTransport(transportOver, {
  resolve: () => Promise.resolve(['127.0.0.1']),
  isAllowed: (each) => each === '127.0.0.1' || isPublicAddress(each),
  isAllowedPort: (each) => each === port || each === 80,
})
const world = openWorld()
after(async () => {
  server.closeAllConnections()
  server.close()
  await opened.close()
  await world.close()
})

const of = { chainId: '1', address: '0x', tokenId: '1' }
/** Pictures of one NFT whose metadata has `uri`. */
function picturesAt(uri: () => string | undefined, isFetching = true): FindPicture {
  return createPictures({
    world: { ...world, publicTransport: opened.transport },
    fetching: isFetching ? { gateways: [], arweave: 'https://arweave.net/' } : undefined,
    imageUri: () => Promise.resolve(uri()),
  })
}
const at = (page: string): string => `http://strangers.test:${port}/${page}`

const types: Record<string, string | undefined> = {
  'good.png': 'image/png',
  'largest.png': 'image/png',
  'evil.svg': 'image/svg+xml',
  'page.png': undefined,
  'script.svg': undefined,
  'nothing.png': undefined,
  'larger.png': undefined,
  'endless.png': undefined,
  'inward.png': undefined,
  'missing.png': undefined,
}

for (const [page, type] of Object.entries(types))
  void test(`pictures: ${page} is ${type ?? 'no picture'}`, async () => {
    const picture = await picturesAt(() => at(page))(of)
    assert.equal(picture?.type, type)
    const { headers, body } = pictureAnswer(picture)
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'")
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['content-type'], type ?? 'image/svg+xml')
    // What a tab of its own would run is saved instead.
    if (headers['content-type'] === 'image/svg+xml')
      assert.equal(headers['content-disposition'], 'attachment')
    assert.ok(body.length <= maxPictureBytes)
    if (type === undefined) assert.ok(!Buffer.from(body).toString().includes('script'))
  })

void test('pictures: with fetching off no host is requested, pictures inside the metadata are shown', async () => {
  const before = requests.length
  assert.equal(await picturesAt(() => at('good.png'), false)(of), undefined)
  const inside = `data:image/png;base64,${png.toString('base64')}`
  assert.deepEqual((await picturesAt(() => inside, false)(of))?.bytes, png)
  const svg = `data:image/svg+xml;utf8,${encodeURIComponent(evilSvg)}`
  assert.equal((await picturesAt(() => svg, false)(of))?.type, 'image/svg+xml')
  assert.equal(await picturesAt(() => 'data:image/png;base64,PGh0bWw+', false)(of), undefined)
  assert.equal(await picturesAt(() => 'javascript:alert(1)')(of), undefined)
  assert.equal(await picturesAt(() => 'file:///etc/passwd')(of), undefined)
  assert.equal(await picturesAt(() => undefined)(of), undefined)
  assert.equal(requests.length, before)
})

void test('pictures: one is fetched once, also for many at once; a missing one is not tried again at once', async () => {
  const pictures = picturesAt(() => at('good.png?same'))
  const before = requests.length
  await Promise.all([pictures(of), pictures(of), pictures(of)])
  await pictures(of)
  assert.equal(requests.length, before + 1)
  const missing = picturesAt(() => at('missing.png'))
  await missing(of)
  await missing(of)
  assert.equal(requests.length, before + 2)
})

void test('pictures: the cache has an end, the oldest go', async () => {
  const most = Math.floor(maxKeptBytes / maxPictureBytes)
  let page = 0
  const pictures = picturesAt(() => at(`largest.png?${page}`))
  const fetch = async (number: number): Promise<number> => {
    page = number
    const before = requests.length
    await pictures(of)
    return requests.length - before
  }
  for (let number = 0; number <= most; number++) assert.equal(await fetch(number), 1)
  assert.equal(await fetch(most), 0, 'the newest is kept')
  assert.equal(await fetch(1), 0, 'as many as there is room for')
  assert.equal(await fetch(0), 1, 'the oldest made room')
})

void test('pictures: kinds are recognised by bytes alone', () => {
  const cases: [string | Buffer, string | undefined][] = [
    [png, 'image/png'],
    [Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    [Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 ', 'latin1'), 'image/webp'],
    [Buffer.from('\x00\x00\x00\x20ftypavif', 'latin1'), 'image/avif'],
    ['<?xml version="1.0"?>\n<!-- a --><svg>', 'image/svg+xml'],
    ['\ufeff<svg/>', 'image/svg+xml'],
    ['<svgx>', undefined],
    ['<html><svg>', undefined],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>', undefined],
    ['BM', undefined],
    ['', undefined],
  ]
  for (const [bytes, type] of cases)
    assert.equal(pictureType(Buffer.from(bytes as string)), type, String(bytes))
})
