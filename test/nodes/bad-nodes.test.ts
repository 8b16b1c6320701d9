/**
 * Every fault of nodes we know of, through the real pool and pipeline, on a virtual clock.
 *
 * Whatever a node does: what is handed on equals what the recorded node said, or nothing is and
 * the status says why. The recording comes from a real EVM.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { digest, head, ran, trueTraces, truth, unknownMethod } from '../support/nodes/bad-node.ts'
import type { Exchange } from '../support/nodes/replay-node.ts'

void test('good node: everything is read, batches are used', async () => {
  const run = await ran({})
  run.isWhole()
  assert.ok(run.node.requests() < 120, `requests: ${run.node.requests()}`)
})

void test('down at first: reading begins when the node comes', async () => {
  const run = await ran({ script: ({ number }) => (number < 20 ? 'reset' : undefined) })
  run.isWhole()
})

void test('a day without the node: reading goes on without help', async () => {
  const run = await ran({
    script: (_, clock) =>
      clock.elapsedMs() > 200 && clock.elapsedMs() < 86_400_000 ? 'reset' : undefined,
    stepwise: true,
    stepMs: 60_000,
  })
  run.isWhole()
  assert.ok(run.clock.elapsedMs() > 86_400_000)
  assert.ok(run.node.requests() < 60_000, `no hot loop: ${run.node.requests()}`)
})

void test('a node lost at the head: the chain is not live until it is back', async () => {
  const states: string[] = []
  const run = await ran({
    script: (_, clock) =>
      clock.elapsedMs() > 60_000 && clock.elapsedMs() < 600_000 ? 'reset' : undefined,
    until: ({ state, reason }, clock) => {
      const shown = reason === undefined ? state : `${state}, with a reason`
      if (states.at(-1) !== shown) states.push(shown)
      return clock.elapsedMs() > 900_000
    },
    stepMs: 1_000,
  })
  run.isWhole()
  assert.deepEqual(states.slice(states.indexOf('live')), ['live', 'syncing, with a reason', 'live'])
})

void test('hanging requests time out and are sent again', async () => {
  const run = await ran({ script: ({ number }) => (number % 5 === 4 ? 'hang' : undefined) })
  run.isWhole()
})

void test('requests whose connection is reset in the middle are sent again', async () => {
  const run = await ran({ script: ({ number }) => (number % 3 === 2 ? 'reset' : undefined) })
  run.isWhole()
})

void test('429: the time the node asks for is waited', async () => {
  let refusedAt = -1
  let againAt = -1
  const run = await ran({
    script: (exchange, clock) => {
      if (refusedAt >= 0) {
        if (againAt < 0) againAt = clock.elapsedMs()
        return
      }
      if (exchange.number !== 3) return
      refusedAt = clock.elapsedMs()
      exchange.reply = { status: 429, headers: { 'retry-after': '7' }, text: '' }
    },
    serial: true,
  })
  run.isWhole()
  assert.ok(againAt - refusedAt >= 7_000, `waited ${againAt - refusedAt} ms`)
})

/** One of four requests, in no rhythm that those of a retry could fall into. */
const isUnlucky = (number: number): boolean => Math.imul(number, 2_654_435_761) >>> 30 === 0

for (const [name, status, text] of [
  ['500', 500, 'oops'],
  ['502 with a page', 502, '<html>bad gateway</html>'],
  ['503', 503, ''],
  ['200 with a page', 200, '<!doctype html><title>login</title>'],
  ['200 with nothing', 200, ''],
  ['404 while the chain starts', 404, '404 page not found'],
] as const)
  void test(`${name}: nothing is stored of it, it is requested again`, async () => {
    const run = await ran({
      script: (exchange) => {
        if (isUnlucky(exchange.number)) exchange.reply = { status, headers: {}, text }
      },
    })
    run.isWhole()
  })

void test('truncated body: never taken for an answer', async () => {
  const run = await ran({
    script: (exchange) => {
      const { reply, number } = exchange
      if (isUnlucky(number))
        exchange.reply = { ...reply, text: reply.text.slice(0, reply.text.length / 2) }
    },
  })
  run.isWhole()
})

void test('batch replies reordered and duplicated: matched by id', async () => {
  const run = await ran({
    elements: (elements) => [...elements.toReversed(), ...elements.slice(0, 3)],
  })
  run.isWhole()
})

void test('batch replies with elements missing: only those are requested again', async () => {
  const run = await ran({
    elements: (elements) => (elements.length > 4 ? elements.slice(0, -3) : elements),
  })
  run.isWhole()
  const blockCalls = run.node.seen.filter(({ method }) => method === 'eth_getBlockByNumber')
  assert.ok(blockCalls.length < 2.5 * head, `calls for blocks: ${blockCalls.length}`)
})

void test('batch replies over the size limit: what fits is kept, the rest is requested in smaller ones', async () => {
  const tooLarge = { code: -32003, message: 'response too large' }
  const run = await ran({
    elements: (elements) =>
      elements.map((element, at) => (at < 6 ? element : failed(element, tooLarge))),
  })
  run.isWhole()
})

void test('batch longer than the node takes: shrunk until it fits', async () => {
  const run = await ran({
    elements: (elements) =>
      elements.length > 7
        ? [{ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } }]
        : elements,
  })
  run.isWhole()
})

void test('413: shrunk until it fits', async () => {
  const run = await ran({
    script: (exchange) => {
      if (exchange.calls.length > 5) exchange.reply = { status: 413, headers: {}, text: '' }
    },
  })
  run.isWhole()
})

void test('a node that refuses batches gets single calls', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no batches' } }
  const run = await ran({
    script: (exchange) => {
      if (exchange.batch) exchange.reply.text = JSON.stringify(refusal)
    },
  })
  run.isWhole()
})

void test('after a reply above our limit, less is requested at once', async () => {
  const run = await ran({ maxReplyBytes: 250_000 })
  run.isWhole()
})

void test('receipts null for a while: no block is stored without them', async () => {
  const requests = new Map<string, number>()
  const run = await ran({
    lie: (call, result) => {
      if (call.method !== 'eth_getBlockReceipts') return result
      const key = String(call.params[0])
      const times = (requests.get(key) ?? 0) + 1
      requests.set(key, times)
      return times <= 2 && Number(key) % 7 === 3 ? null : result
    },
  })
  run.isWhole()
})

void test('receipts too few for a while: no block is stored without them', async () => {
  let lies = 0
  const run = await ran({
    lie: (call, result) =>
      call.method === 'eth_getBlockReceipts' && Array.isArray(result) && lies++ < 10
        ? result.slice(1)
        : result,
  })
  run.isWhole()
})

void test('a head that is announced before its block can be read is waited for', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_blockNumber' ? '0xfffff' : result),
    until: ({ indexedHeight }) => indexedHeight === head,
  })
  run.isWhole()
})

void test('a head that goes backwards: nothing is lost or stored twice', async () => {
  let times = 0
  const run = await ran({
    lie: (call, result) =>
      call.method === 'eth_blockNumber' && times++ % 2 === 1 ? '0x5' : result,
    stepwise: true,
  })
  run.isWhole()
})

void test('a node without eth_getBlockReceipts: receipts are requested one by one', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_getBlockReceipts' ? unknownMethod : result),
  })
  run.isWhole()
})

for (const method of [
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
])
  void test(`${method} refused as unknown now and then: it is called again, no chain stops`, async () => {
    let calls = 0
    let refused = 0
    const run = await ran({
      lie: (call, result) => {
        if (call.method !== method || calls++ % 3 !== 0) return result
        refused++
        return unknownMethod
      },
    })
    run.isWhole()
    assert.ok(refused > 0)
  })

for (const honest of [false, true])
  void test(`a chain id given wrong once, ${honest ? 'by one of two' : 'by the only one'}: a store is made for the right chain`, async () => {
    let calls = 0
    const made: number[] = []
    const run = await ran({
      fresh: true,
      honest,
      lie: (call, result) => (call.method === 'eth_chainId' && calls++ === 0 ? '0x1' : result),
      begin: async ({ chainId }) => {
        made.push(chainId)
        return { blocksFrom: 0, tracesFrom: 0 }
      },
    })
    run.isWhole()
    assert.deepEqual(made, [51002])
    assert.ok(calls > 1)
  })

void test('a chain id that differs between two endpoints: nothing is stored, and the status says so', async () => {
  const made: number[] = []
  const run = await ran({
    fresh: true,
    honest: true,
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x1' : result),
    begin: async ({ chainId }) => {
      made.push(chainId)
      return { blocksFrom: 0, tracesFrom: 0 }
    },
    until: (_, clock) => clock.elapsedMs() > 60_000,
  })
  assert.deepEqual(made, [])
  assert.match(run.stage('blocks').reason ?? '', /do not agree on which chain/)
})

void test('unknown fields and transaction types: kept as they are', async () => {
  const run = await ran({
    lie: (call, result) => {
      if (call.method !== 'eth_getBlockByNumber' || result === null) return result
      const block = objectOf(result, 'block')
      const { transactions } = block
      if (!Array.isArray(transactions) || typeof transactions[0] === 'string') return result
      const changed = transactions.map((tx: object) => ({ ...tx, type: '0x7e', mint: '0x1' }))
      return { ...block, newRoot: {}, transactions: changed }
    },
  })
  assert.equal(run.blocks().txs.count, truth.blocks.txs.count)
  assert.ok(run.blocks().txs.type.every((type) => type === 0x7e))
})

void test('a lagging endpoint is no error, the other one is used', async () => {
  const run = await ran({
    lie: (call, result) => {
      if (call.method === 'eth_blockNumber') return '0xa'
      if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(call.method)) return result
      return Number(call.params[0]) > 10 ? null : result
    },
    honest: true,
  })
  run.isWhole()
  assert.ok(run.source.endpoints().every(({ state }) => state === 'up'))
})

void test('no traces: blocks are live, traces are off and say why', async () => {
  const run = await ran({
    lie: (call, result) => (call.method.startsWith('debug_') ? unknownMethod : result),
    until: ({ state }) => state === 'live',
  })
  assert.deepEqual(digest(run.blocks()), digest(truth.blocks))
  assert.equal(run.stage('traces').state, 'off')
  assert.match(run.stage('traces').reason ?? '', /debug_trace/)
})

void test('traces that hang: never hold the head back', async () => {
  const run = await ran({
    script: ({ calls }) => (calls[0]?.method.startsWith('debug_') === true ? 'hang' : undefined),
    until: ({ state }) => state === 'live',
  })
  assert.deepEqual(digest(run.blocks()), digest(truth.blocks))
  assert.ok(run.clock.elapsedMs() < 30_000)
})

void test('a block whose traces fail as a whole: its transactions are traced one by one', async () => {
  const run = await ran({
    lie: (call, result) =>
      call.method === 'debug_traceBlockByNumber' && Number(call.params[0]) % 5 === 0
        ? { code: -32000, message: 'execution timeout' }
        : result,
  })
  run.isWhole()
})

void test('traces without the state of old blocks: they stop, blocks go on', async () => {
  const run = await ran({
    lie: (call, result) =>
      call.method.startsWith('debug_') && call.params[0] !== 'latest'
        ? { code: -32000, message: 'required historical state unavailable (reexec=128)' }
        : result,
    until: ({ state }, clock) => state === 'live' && clock.elapsedMs() > 60_000,
  })
  assert.deepEqual(digest(run.blocks()), digest(truth.blocks))
  assert.ok(run.stage('traces').reason)
})

void test('traces that fail now and then, without debug_traceTransaction, are requested again until whole', async () => {
  let failures = 0
  let traceCalls = 0
  const run = await ran({
    lie: (call, result) => {
      if (call.method === 'debug_traceTransaction') return unknownMethod
      if (call.method !== 'debug_traceBlockByNumber' || call.params[0] === 'latest') return result
      if (traceCalls++ % 4 !== 1) return result
      failures++
      return { code: -32000, message: 'header not found' }
    },
  })
  run.isWhole()
  assert.ok(failures > 5)
})

void test('traces refused as unknown at first: off with the reason meanwhile, then whole', async () => {
  const states = new Set<string>()
  let refusals = 0
  const run = await ran({
    lie: (call, result) =>
      call.method.startsWith('debug_') && refusals++ < 3 ? unknownMethod : result,
    until: (_, __, stage) => {
      const { state, indexedHeight, reason } = stage('traces')
      states.add(`${state}${reason === undefined ? '' : ', with a reason'}`)
      return state === 'live' && indexedHeight === head
    },
    stepMs: 10_000,
  })
  run.isWhole()
  assert.ok(states.has('off, with a reason'), [...states].join())
})

const nested = (open: string, close: string): string => open.repeat(50_000) + close.repeat(50_000)
const harms: Readonly<Record<string, (exchange: Exchange) => 'hang' | void>> = {
  'refused for its size': (exchange) => {
    exchange.reply = { status: 413, headers: {}, text: '' }
  },
  'without an end': () => 'hang',
  'that is a bomb': ({ reply }) => {
    reply.text = `{"jsonrpc":"2.0","id":0,"result":${nested('[', ']')}}`
  },
}
for (const [name, harm] of Object.entries(harms))
  void test(`a trace ${name}: costs that block a retry, not the stage`, async () => {
    let harmed = 0
    const run = await ran({
      script: (exchange) => {
        const [call] = exchange.calls
        const isTrace = call?.method === 'debug_traceBlockByNumber' && Number(call.params[0]) === 7
        if (isTrace && harmed++ < 5) return harm(exchange)
      },
    })
    run.isWhole()
    assert.ok(harmed > 0)
  })

void test('traces of new blocks only: read from where they begin, and the status says so', async () => {
  const first = 20
  // The newest block with traces in the recording: 128 blocks above those that have no state.
  const last = 152
  const gone = { code: -32000, message: 'missing trie node 00aa' }
  const run = await ran({
    head: last,
    lie: (call, result) => {
      if (call.method === 'debug_traceTransaction') return gone
      const isOld = call.params[0] !== 'latest' && Number(call.params[0]) < first
      return call.method === 'debug_traceBlockByNumber' && isOld ? gone : result
    },
    until: (_, clock) => clock.elapsedMs() > 120_000,
  })
  const [since, ...others] = run.skips
  assert.deepEqual(others, [])
  assert.ok(since !== undefined && since >= first && since < last, `since ${since}`)
  assert.equal(run.stage('traces').indexedHeight, last)
  assert.deepEqual(digest(run.traces(since)), digest(await trueTraces(since, last + 1)))
})

void test('the head moves on: each block comes when it is there', async () => {
  const run = await ran({ stepwise: true })
  run.isWhole()
  assert.ok(run.pieces() > 10)
})

function failed(element: object, error: object): object {
  const { id } = objectOf(element, 'element')
  return { jsonrpc: '2.0', id, error }
}

const codes = [-32_000, -32_001, -32_004, -32_600, -32_601, -32_602, -32_603, 4_200] as const

for (const code of codes)
  void test(`receipts of blocks refused with ${code}: read one by one`, async () => {
    const refusal = { code, message: 'the plan does not have it' }
    const run = await ran({
      lie: (call, result) => (call.method === 'eth_getBlockReceipts' ? refusal : result),
    })
    run.isWhole()
  })

const batchRefusals: Record<string, (exchange: Exchange) => void> = {
  'HTTP 500': ({ reply }) => void Object.assign(reply, { status: 500, text: 'internal error' }),
  'HTTP 413': ({ reply }) => void Object.assign(reply, { status: 413, text: '' }),
  'HTTP 405': ({ reply }) => void Object.assign(reply, { status: 405, text: 'not allowed' }),
  'HTTP 400 with an error': ({ reply }) =>
    void Object.assign(reply, { status: 400, text: '{"error":{"code":-32000,"message":"no"}}' }),
}
for (const code of codes) {
  const error = { code, message: 'one at a time' }
  batchRefusals[`${code} as a whole`] = (exchange) => {
    exchange.reply.text = JSON.stringify({ jsonrpc: '2.0', id: null, error })
  }
  batchRefusals[`${code} in each element`] = (exchange) => {
    const elements = JSON.parse(exchange.reply.text) as { readonly id: unknown }[]
    exchange.reply.text = JSON.stringify(elements.map(({ id }) => ({ jsonrpc: '2.0', id, error })))
  }
}
for (const [name, refuse] of Object.entries(batchRefusals))
  void test(`after batches are refused by ${name}, calls are sent alone`, async () => {
    const run = await ran({
      script: (exchange) => {
        if (exchange.batch) refuse(exchange)
      },
    })
    run.isWhole()
  })
