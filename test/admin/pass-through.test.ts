import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { HttpReply, HttpRequest } from '../../src/core/world.ts'
import { get, start } from './public-node.ts'

/** A transport that answers by method and counts. */
function countingNode(results: Readonly<Record<string, unknown>>): {
  request: (request: HttpRequest) => Promise<HttpReply>
  requests: string[]
} {
  const requests: string[] = []
  return {
    requests,
    request: async ({ url, body }) => {
      requests.push(url)
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
  assert.deepEqual(transport.requests, ['http://first.invalid/rpc', 'http://second.invalid/rpc'])
})

void test('pass-through: a reply is not served again after the node gives another', async (t) => {
  const answers: Record<string, unknown> = {
    eth_getBlockByNumber: { number: '0x64', hash: '0xaa' },
  }
  const node = await start(t, { transport: countingNode(answers) })
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x64",true]}'
  const isAltered = async (): Promise<boolean> =>
    String((await node.send({ path: '/ext/bc/43114/rpc', body })).body).includes('0xab')
  assert.equal(await isAltered(), false)
  answers['eth_getBlockByNumber'] = { number: '0x64', hash: '0xab' }
  assert.equal(await isAltered(), true)
})

void test('pass-through: a node that does not answer is 502, a GET 405', async (t) => {
  const transport = {
    request: async () => {
      throw new Fault('node-unreachable', 'a node does not answer: ECONNREFUSED')
    },
  }
  const node = await start(t, { transport })
  const reply = await node.send({ path: '/ext/bc/P', body: call('platform.getHeight') })
  assert.deepEqual([reply.status, reply.body], [502, 'node did not answer\n'])
  assert.equal((await node.send({ ...get, path: '/ext/bc/C/rpc' })).status, 405)
})

const call = (method: string, more = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]${more}}`

void test('pass-through: only JSON, and nothing that a page of another site sends', async (t) => {
  const transport = countingNode({ eth_gasPrice: '0x5' })
  const node = await start(t, { transport })
  const body = call('eth_gasPrice')
  const send = (headers: Readonly<Record<string, string>>) =>
    node.send({ path: '/ext/bc/C/rpc', body, headers })
  const own = `127.0.0.1:${node.port}`
  for (const [headers, status] of [
    [{ 'Content-Type': 'text/plain' }, 415],
    [{ 'Content-Type': 'text/plain; charset=application/json' }, 415],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'Content-Type': '' }, 415],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Origin: 'https://shop.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: `http://${own}.shop.example` }, 403],
    [{ Origin: `http://shop.example@${own}` }, 403],
  ] as const) {
    assert.equal((await send(headers)).status, status, JSON.stringify(headers))
  }
  assert.deepEqual(transport.requests, [])
  for (const headers of [
    {},
    { 'Content-Type': 'application/json; charset=utf-8' },
    { 'Content-Type': 'Application/JSON' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: `http://${own}` },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: `http://${own}` },
  ])
    assert.equal((await send(headers)).status, 200, JSON.stringify(headers))
})

void test('pass-through: only methods that read, until the setting names more', async (t) => {
  const results = { eth_sendRawTransaction: '0x1', eth_getBalance: '0x2', 'platform.issueTx': {} }
  const transport = countingNode(results)
  const node = await start(t, { transport })
  const refused = async (path: string, body: string): Promise<unknown> => {
    const before = transport.requests.length
    const reply = await node.send({ path, body })
    assert.equal(transport.requests.length, before, body)
    const answer: { error: { code: number; message: string } } = JSON.parse(reply.body)
    return [reply.status, answer.error.code]
  }
  const notAllowed = [200, -32_601]
  for (const method of [
    'eth_sendRawTransaction',
    'eth_accounts',
    'personal_unlockAccount',
    'debug_traceBlockByNumber',
    'admin_peers',
    'eth_getBalance\\n',
    'constructor',
    '',
  ])
    assert.deepEqual(await refused('/ext/bc/C/rpc', call(method)), notAllowed, method)
  assert.deepEqual(await refused('/ext/bc/P', call('platform.issueTx')), notAllowed)
  assert.deepEqual(await refused('/ext/bc/P', call('admin.getLoggerLevel')), notAllowed)
  const batch = `[${call('eth_getBalance')},${call('eth_sendRawTransaction')}]`
  assert.deepEqual(await refused('/ext/bc/C/rpc', batch), notAllowed)

  const twice = call('eth_getBalance', ',"method":"eth_sendRawTransaction"')
  assert.deepEqual(await refused('/ext/bc/C/rpc', twice), notAllowed)

  // What another reader may read otherwise: Go takes members in any case, the last one wins.
  const malformed = [400, -32_600]
  for (const body of [
    call('eth_getBalance', ',"Method":"eth_sendRawTransaction"'),
    call('eth_getBalance', ',"paramſ":[],"m\\u0045thod":"eth_sendRawTransaction"'),
    `${call('eth_getBalance')}${call('eth_sendRawTransaction')}`,
    '{}',
    '[]',
    '[1]',
    '{"method":["eth_getBalance"]}',
    '"eth_sendRawTransaction"',
    'no JSON',
    '',
  ])
    assert.deepEqual(await refused('/ext/bc/C/rpc', body), malformed, body)

  for (const method of ['eth_getBalance', 'eth_call', 'net_version', 'web3_clientVersion'])
    assert.equal((await node.send({ path: '/ext/bc/C/rpc', body: call(method) })).status, 200)
  const balances = `[${call('eth_getBalance')}, ${call('eth_call')}]\n`
  const before = transport.requests.length
  await node.send({ path: '/ext/bc/C/rpc', body: balances })
  assert.equal(transport.requests.length, before + 2, 'both endpoints were tried')
})

void test('pass-through: the setting widens what is handed on', async (t) => {
  const transport = countingNode({})
  const node = await start(t, { transport, rpcMethods: ['read', 'eth_send*', 'platform.issueTx'] })
  const isPassed = async (path: string, method: string): Promise<boolean> =>
    !(await node.send({ path, body: call(method) })).body.includes('-32601')
  assert.ok(await isPassed('/ext/bc/C/rpc', 'eth_sendRawTransaction'))
  assert.ok(await isPassed('/ext/bc/C/rpc', 'eth_getLogs'))
  assert.ok(await isPassed('/ext/bc/P', 'platform.issueTx'))
  assert.ok(!(await isPassed('/ext/bc/P', 'platform.issueTxs')))
  assert.ok(!(await isPassed('/ext/bc/C/rpc', 'debug_traceTransaction')))
  const open = await start(t, { transport, rpcMethods: ['*'] })
  const reply = await open.send({ path: '/ext/bc/P', body: call('platform.anything') })
  assert.ok(!reply.body.includes('-32601'))
})
