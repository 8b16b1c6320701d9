/** Files from places that send too much, too slowly, or something else. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'

import { Fault } from '../../src/core/fault.ts'
import { download } from '../../src/world/download.ts'

const whole = Buffer.alloc(300_000, 7)

async function place(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`
}

function draft(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-download-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'file')
}

const bad: Readonly<Record<string, RequestListener>> = {
  'without an end': (_request, response) => {
    const more = (): void => {
      while (response.write(whole));
    }
    response.on('drain', more)
    more()
  },
  'that says it is too long': (_request, response) =>
    void response.writeHead(200, { 'content-length': 10 ** 12 }).write('x'),
  'compressed, whatever was requested': (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(whole)),
  'a byte at a time': (_request, response) => {
    const drip = setInterval(() => response.write('x'), 100)
    response.on('close', () => clearInterval(drip))
  },
  'never begun': () => undefined,
  'of an error': (_request, response) => void response.writeHead(500).end(whole),
  'of somebody else': (_request, response) => void response.end(whole.subarray(1)),
}

void suite('bad places', { concurrency: true }, () => {
  for (const [name, answer] of Object.entries(bad))
    void test(`an answer ${name}: another place is tried within seconds`, async (t) => {
      const urls = [
        await place(t, answer),
        await place(t, (_request, response) => void response.end(whole)),
      ]
      const path = draft(t)
      const check = (file: string): void => {
        if (statSync(file).size !== whole.length) throw new Fault('store-failed', 'another file')
      }
      const begun = performance.now()
      const request = { urls, path, maxBytes: whole.length, check }
      assert.equal(await download(request), urls[1])
      assert.deepEqual(readFileSync(path), whole)
      assert.ok(performance.now() - begun < 20_000)
      await assert.rejects(download({ ...request, urls: urls.slice(0, 1) }), Fault)
      assert.ok(statSync(path).size <= whole.length)
    })
})

void test('a file that no place offers is not found', async (t) => {
  const url = await place(t, (_request, response) => void response.writeHead(404).end())
  const request = { path: draft(t), maxBytes: 1 }
  await assert.rejects(download({ ...request, urls: [url, url] }), { code: 'not-found' })
  const away = { ...request, urls: [url, 'http://127.0.0.1:1'] }
  await assert.rejects(download(away), { code: 'node-unreachable' })
})
