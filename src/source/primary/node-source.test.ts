import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fromHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import type { HttpReply } from '../../core/world.ts'
import { silentLog } from '../../telemetry/log.ts'
import { createNodeApi } from './node-api.ts'
import { createNodeSource } from './node-source.ts'

const { signal } = new AbortController()

const reply = (result: unknown) => text(JSON.stringify({ jsonrpc: '2.0', id: 0, result }))
const refused = (message: string) =>
  text(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32_000, message } }))

function text(body: string, status = 200): HttpReply {
  return { status, headers: {}, body: new TextEncoder().encode(body) }
}

/** The first block of the X-Chain, bare in its index. */
const block = '0x00000000001401020304'
const id = toCb58(sha256(fromHex(block)))

/**
 * A node that answers `index.getLastAccepted` with these, one after the other; `started` is what it
 * says of its X-Chain.
 */
function sourceOver(
  answers: HttpReply[],
  started: boolean[] = [],
): ReturnType<typeof createNodeSource> {
  const transport = {
    request: async ({
      body,
    }: {
      readonly body?: string | Uint8Array | undefined
    }): Promise<HttpReply> => {
      if (String(body).includes('index.getContainerRange'))
        return reply({ containers: [{ id, bytes: block }] })
      if (String(body).includes('avm.getBlock')) return reply({ block })
      if (String(body).includes('info.isBootstrapped'))
        return reply({ isBootstrapped: started.shift() ?? true })
      return answers.shift() ?? reply({ index: '0' })
    },
  }
  const limits = { timeoutMs: 1_000, maxReplyBytes: 100_000 }
  return createNodeSource(createNodeApi({ ...limits, transport, url: 'http://node/' }), silentLog)
}

void test('index: one that is still empty is looked at again', async () => {
  const empty = refused('no containers have been accepted')
  const source = sourceOver([empty, empty])
  assert.equal(await source.hasIndex('X', signal), false)
  assert.equal(await source.hasIndex('X', signal), true)
})

void test('index: an answer out of order is no absence', async () => {
  const source = sourceOver([text('<html>one moment</html>')])
  const first = source.hasIndex('X', signal)
  await assert.rejects(first, (error) => error instanceof Fault && error.retryable)
  assert.equal(await source.hasIndex('X', signal), true)
})

void test('index: one that is not registered yet is no absence', async () => {
  const source = sourceOver([text('not here', 404), text('not here', 404)], [false])
  const first = source.hasIndex('X', signal)
  await assert.rejects(first, (error) => error instanceof Fault && error.code === 'node-not-yet')
  assert.equal(await source.hasIndex('X', signal), true)
})

void test('index: what the X-Chain had before its blocks is not taken for nothing', async () => {
  const source = sourceOver([text('not here', 404)], [false])
  const first = source.earlyCount(signal)
  await assert.rejects(first, (error) => error instanceof Fault && error.code === 'node-not-yet')
  assert.equal(await source.earlyCount(signal), 1)
})

void test('index: a node without one is believed once its chain is there', async () => {
  const absent = text('not here', 404)
  // A node says twice that it has none; a 404 is requested again each time.
  const without = refused('the method does not exist')
  for (const absence of [
    [absent, absent, absent, absent],
    [without, without],
  ]) {
    const source = sourceOver(absence)
    assert.equal(await source.hasIndex('X', signal), false)
    assert.equal(await source.hasIndex('X', signal), false)
  }
})
