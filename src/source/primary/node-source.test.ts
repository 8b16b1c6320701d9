import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import type { HttpReply } from '../../core/world.ts'
import { silentLog } from '../../telemetry/log.ts'
import { createNodeApi } from './node-api.ts'
import { createNodeSource } from './node-source.ts'

const { signal } = new AbortController()

const told = (result: unknown) => text(JSON.stringify({ jsonrpc: '2.0', id: 0, result }))
const refused = (message: string) =>
  text(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32_000, message } }))

function text(body: string, status = 200): HttpReply {
  return { status, headers: {}, body: new TextEncoder().encode(body) }
}

/** The first block of the X-Chain, bare in its index. */
const block = '0x00000000001401020304'

/** A node that answers `index.getLastAccepted` with these, one after the other. */
function sourceOver(answers: HttpReply[]): ReturnType<typeof createNodeSource> {
  const transport = {
    request: async ({ body }: { readonly body?: string | Uint8Array }): Promise<HttpReply> => {
      if (String(body).includes('index.getContainerRange'))
        return told({ containers: [{ bytes: block }] })
      if (String(body).includes('avm.getBlockByHeight')) return told({ block })
      return answers.shift() ?? told({ index: '0' })
    },
  }
  const limits = { timeoutMs: 1_000, maxReplyBytes: 100_000 }
  return createNodeSource(createNodeApi({ ...limits, transport, url: 'http://node/' }), silentLog)
}

void test('index: one that is still empty is looked at again', async () => {
  const source = sourceOver([refused('no containers have been accepted')])
  assert.equal(await source.hasIndex('X', signal), false)
  assert.equal(await source.hasIndex('X', signal), true)
})

void test('index: an answer out of order is no absence', async () => {
  const source = sourceOver([text('<html>one moment</html>')])
  const first = source.hasIndex('X', signal)
  await assert.rejects(first, (error) => error instanceof Fault && error.retryable)
  assert.equal(await source.hasIndex('X', signal), true)
})

void test('index: a node without one is asked once', async () => {
  for (const absence of [text('not here', 404), refused('the method does not exist')]) {
    const source = sourceOver([absence])
    assert.equal(await source.hasIndex('X', signal), false)
    assert.equal(await source.hasIndex('X', signal), false)
  }
})
