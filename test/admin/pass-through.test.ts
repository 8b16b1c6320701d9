import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { HttpReply, HttpRequest } from '../../src/core/world.ts'
import { get, start } from './public-node.ts'

/** A transport that answers by method and counts. */
function countingNode(results: Readonly<Record<string, unknown>>): {
  request: (request: HttpRequest) => Promise<HttpReply>
  asked: string[]
} {
  const asked: string[] = []
  return {
    asked,
    request: async ({ url, body }) => {
      asked.push(url)
      if (url.includes('first'))
        throw new Fault('node-unreachable', 'a node does not answer: ECONNREFUSED')
      const call: { id: unknown; method: string } = JSON.parse(
        new TextDecoder().decode(Buffer.from(body ?? '')),
      )
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id: call.id,
        result: results[call.method] ?? null,
      })
      const headers = { 'content-type': 'application/json' }
      return { status: 200, headers, body: new TextEncoder().encode(text) }
    },
  }
}

void test('pass-through: the next endpoint answers when the first does not', async (t) => {
  const transport = countingNode({ eth_gasPrice: '0x5' })
  const node = await start(t, { transport })
  const body = '{"jsonrpc":"2.0","id":9,"method":"eth_gasPrice","params":[]}'
  const reply = await node.send({ path: '/ext/bc/C/rpc', body })
  assert.equal(reply.body, '{"jsonrpc":"2.0","id":9,"result":"0x5"}')
  assert.deepEqual(transport.asked, ['http://first.invalid/rpc', 'http://second.invalid/rpc'])
})

void test('pass-through: what is final is asked once, what is not each time', async (t) => {
  const transport = countingNode({
    eth_chainId: '0xa86a',
    eth_getBlockByNumber: { number: '0x64', hash: '0xaa' },
    eth_getBlockByHash: { number: '0x65', hash: '0xab' },
    eth_getTransactionReceipt: { blockNumber: '0x1' },
    eth_getTransactionByHash: { blockNumber: null },
    eth_gasPrice: '0x1',
  })
  const node = await start(t, { transport })
  const nodeCalls = async (method: string, params: string, ids = ['1', '"a"']): Promise<number> => {
    const before = transport.asked.length
    for (const id of ids) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
      const reply = await node.send({ path: '/ext/bc/43114/rpc', body })
      assert.equal(reply.status, 200)
      assert.ok(reply.body.includes(`"id":${id}`), reply.body)
    }
    return (transport.asked.length - before) / 2
  }
  assert.equal(await nodeCalls('eth_chainId', '[]'), 1)
  assert.equal(await nodeCalls('eth_getBlockByNumber', '["0x64",true]'), 1)
  assert.equal(await nodeCalls('eth_getBlockByNumber', '["0x64",false]'), 1, 'another question')
  assert.equal(await nodeCalls('eth_getBlockByNumber', '["latest",true]'), 2)
  assert.equal(await nodeCalls('eth_getBlockByHash', '["0xab",true]'), 2, 'above what is accepted')
  assert.equal(await nodeCalls('eth_getTransactionReceipt', '["0xAB"]'), 1)
  assert.equal(
    await nodeCalls('eth_getTransactionReceipt', '["0xab"]'),
    0,
    'the same in small letters',
  )
  assert.equal(await nodeCalls('eth_getTransactionByHash', '["0xab"]'), 2, 'pending')
  assert.equal(await nodeCalls('eth_gasPrice', '[]'), 2)
  assert.equal(await nodeCalls('eth_chainId', '[]', ['1.5', '2.5']), 2, 'odd ids')
})

void test('pass-through: a node that does not answer is 502, a GET 405', async (t) => {
  const transport = {
    request: async () => {
      throw new Fault('node-unreachable', 'a node does not answer: ECONNREFUSED')
    },
  }
  const node = await start(t, { transport })
  const reply = await node.send({ path: '/ext/bc/P', body: '{}' })
  assert.deepEqual([reply.status, reply.body], [502, 'node did not answer\n'])
  assert.equal((await node.send({ ...get, path: '/ext/bc/C/rpc' })).status, 405)
})
