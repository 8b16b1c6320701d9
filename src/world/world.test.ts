import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { openWorld } from './world.ts'

void test('transport: a user name and a password of a URL become Basic authorization', async () => {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, reply) => {
    seen.push(request.headers)
    reply.end('{}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const world = openWorld()
  const limits = { method: 'GET', timeoutMs: 5_000, maxBytes: 1_000 } as const
  try {
    for (const place of ['', 'Aladdin:open%20sesame@'])
      await world.transport.request({ ...limits, url: `http://${place}127.0.0.1:${port}/` })
  } finally {
    await world.close()
    server.close()
  }
  // The pair of RFC 7617, section 2.
  assert.deepEqual(
    seen.map(({ authorization }) => authorization),
    [undefined, 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
  )
})
