/**
 * Every fault of nodes we know of, through the real pool and pipeline, on a virtual clock.
 *
 * Whatever a node does: what is handed on equals what the recorded node said, or nothing is and
 * the status says why. The recording comes from a real EVM.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import type { BlockBatch, TraceBatch } from '../src/codec/evm/columns.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../src/codec/evm/decode-traces.ts'
import { mergeBlocks, mergeTraces } from '../src/codec/evm/merge-batches.ts'
import { objectOf } from '../src/codec/evm/raw.ts'
import { toHex } from '../src/core/bytes.ts'
import { Fault } from '../src/core/fault.ts'
import { sha256 } from '../src/core/hash.ts'
import type { World } from '../src/core/world.ts'
import { ChainReader } from '../src/indexing/evm/read-chain.ts'
import type { StageStatus } from '../src/indexing/stage.ts'
import type { ChainIdentity, EvmSource } from '../src/source/evm-source.ts'
import { openNodeSource } from '../src/source/node-source.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openReplayNode, replayTransport } from './replay-node.ts'
import type { NodeCall, ReplayNode } from './replay-node.ts'
import { virtualClock } from './virtual-clock.ts'
import type { VirtualClock } from './virtual-clock.ts'

const file = await readFile(new URL('../demo/chain-51002.firnrec', import.meta.url))
const foreignFile = await readFile(new URL('../demo/chain-51001.firnrec', import.meta.url))
const keep = (bytes: Uint8Array): Uint8Array => bytes

/** Heights read in each test. Enough for several requests of every kind. */
const head = 60

const truth = await truthOf()

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
      const told = reason === undefined ? state : `${state}, with a reason`
      if (states.at(-1) !== told) states.push(told)
      return clock.elapsedMs() > 900_000
    },
    stepMs: 1_000,
  })
  run.isWhole()
  assert.deepEqual(states.slice(states.indexOf('live')), ['live', 'syncing, with a reason', 'live'])
})

void test('hanging requests: time out and are asked again', async () => {
  const run = await ran({ script: ({ number }) => (number % 5 === 4 ? 'hang' : undefined) })
  run.isWhole()
})

void test('connection resets in the middle: asked again', async () => {
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

for (const [name, status, text] of [
  ['500', 500, 'oops'],
  ['502 with a page', 502, '<html>bad gateway</html>'],
  ['503', 503, ''],
  ['200 with a page', 200, '<!doctype html><title>login</title>'],
  ['200 with nothing', 200, ''],
  ['404 while the chain starts', 404, '404 page not found'],
] as const)
  void test(`${name}: asked again, nothing is stored of it`, async () => {
    const run = await ran({
      script: (exchange) => {
        if (exchange.number % 4 === 3) exchange.reply = { status, headers: {}, text }
      },
    })
    run.isWhole()
  })

void test('truncated body: never taken for an answer', async () => {
  const run = await ran({
    script: (exchange) => {
      const { reply, number } = exchange
      if (number % 4 === 2)
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

void test('batch replies with elements missing: only those are asked again', async () => {
  const run = await ran({
    elements: (elements) => (elements.length > 4 ? elements.slice(0, -3) : elements),
  })
  run.isWhole()
  const asked = run.node.seen.filter(({ method }) => method === 'eth_getBlockByNumber')
  assert.ok(asked.length < 2.5 * head, `blocks asked: ${asked.length}`)
})

void test('batch replies over the size limit: what fits is kept, the rest asked in smaller ones', async () => {
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

void test('a node without batches: asked one by one', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no batches' } }
  const run = await ran({
    script: (exchange) => {
      if (exchange.batch) exchange.reply.text = JSON.stringify(refusal)
    },
  })
  run.isWhole()
})

void test('a reply above our limit: asked for less', async () => {
  const run = await ran({ maxReplyBytes: 250_000 })
  run.isWhole()
})

void test('receipts null for a while: no block is stored without them', async () => {
  const asked = new Map<string, number>()
  const run = await ran({
    lie: (call, result) => {
      if (call.method !== 'eth_getBlockReceipts') return result
      const key = String(call.params[0])
      const times = (asked.get(key) ?? 0) + 1
      asked.set(key, times)
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

void test('a head that is told before its block can be had: waited for', async () => {
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

void test('a node without eth_getBlockReceipts: receipts are asked one by one', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_getBlockReceipts' ? unknownMethod : result),
  })
  run.isWhole()
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

for (const [name, change] of lies())
  void test(`a lie, ${name}: the honest endpoint is read, the lie is not`, async () => {
    const run = await ran({ lie: change, honest: true })
    run.isWhole()
  })

for (const [name, change] of lies())
  void test(`a lie, ${name}: alone, nothing of it is handed on`, async () => {
    const run = await ran({ lie: change, until: (_, clock) => clock.elapsedMs() > 60_000 })
    assert.equal(run.stage('blocks').indexedHeight, 29)
    assert.notEqual(run.stage('blocks').state, 'live')
    assert.ok(run.stage('blocks').reason, 'the status says why')
    assert.ok(run.node.requests() < 2_000, `no hot loop: ${run.node.requests()}`)
  })

void test('altered amounts that agree with themselves: found at the head by the receipts root', async () => {
  const run = await ran({
    lie: (call, result) =>
      call.method === 'eth_getBlockReceipts' && Number(call.params[0]) > 12
        ? JSON.parse(JSON.stringify(result).replaceAll(/("data":"0x0[0-9a-f]*)1/g, '$12'))
        : result,
    honest: true,
    stepwise: true,
  })
  run.isWhole()
})

void test('another chain id on one endpoint: it is set aside and named', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x1' : result),
    honest: true,
  })
  run.isWhole()
  const bad = run.source.endpoints().find(({ name }) => name.includes('//bad'))
  assert.equal(bad?.state, 'quarantined')
})

void test('another chain id on the only endpoint: the chain stops and says so', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x1' : result),
    until: ({ state }) => state === 'stopped',
  })
  assert.match(run.stage('blocks').reason ?? '', /another chain/)
  assert.equal(run.pieces(), 0)
})

void test('an endpoint that changes to another chain on the way: it is set aside', async () => {
  const foreign = await openReplayNode(foreignFile)
  let swapped = false
  const run = await ran({
    script: (exchange) => {
      if (exchange.number === 4) {
        swapped = true
        return 'reset'
      }
      if (!swapped) return undefined
      exchange.reply.text = foreign.answer(
        JSON.stringify(exchange.batch ? exchange.calls : exchange.calls[0]),
      ).exchange.reply.text
      return undefined
    },
    honest: true,
  })
  run.isWhole()
})

void test('a history that forks: with another endpoint it goes on, the liar is quarantined', async () => {
  const run = await ran({ lie: forkAt(30), honest: true, stepwise: true })
  run.isWhole()
})

void test('a history that forks: alone, the chain stops before it and names the endpoint', async () => {
  const run = await ran({ lie: forkAt(30), until: ({ state }) => state === 'stopped' })
  assert.equal(run.stage('blocks').indexedHeight, 29)
  assert.match(run.stage('blocks').reason ?? '', /parent of block 30 .*bad/)
})

void test('a store of another history: the chain stops at once', async () => {
  const run = await ran({
    begin: async () => ({ blocksFrom: 30, tracesFrom: 0, parentHash: `0x${'77'.repeat(32)}` }),
    until: ({ state }) => state === 'stopped',
  })
  assert.match(run.stage('blocks').reason ?? '', /parent of block 30/)
  assert.equal(run.pieces(), 0)
})

void test('a store of another chain: the chain stops at once', async () => {
  const run = await ran({
    begin: async () => {
      throw new Fault('source-mismatch', 'store is of another chain: chainId 5')
    },
    until: ({ state }) => state === 'stopped',
  })
  assert.equal(run.stage('blocks').reason, 'store is of another chain: chainId 5')
})

void test('a lagging endpoint: is no error, the other one is asked', async () => {
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

void test('the head moves on: each block comes when it is there', async () => {
  const run = await ran({ stepwise: true })
  run.isWhole()
  assert.ok(run.pieces() > 10)
})

// ---------------------------------------------------------------------------

const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }

type Lie = (call: NodeCall, result: unknown) => unknown

type Setting = {
  readonly script?: (
    exchange: Parameters<NonNullable<ReplayNode['script']>>[0],
    clock: VirtualClock,
  ) => 'hang' | 'reset' | void
  /** Changes the elements of batch replies. */
  readonly elements?: (elements: readonly object[]) => readonly object[]
  readonly lie?: Lie
  /** A second endpoint that is honest. */
  readonly honest?: boolean
  /** The head starts at 10 and moves on as time passes. */
  readonly stepwise?: boolean
  /** Time between two looks at the outcome; 100 ms. */
  readonly stepMs?: number
  /** One request at a time. */
  readonly serial?: boolean
  readonly maxReplyBytes?: number
  readonly begin?: (
    identity: ChainIdentity,
  ) => Promise<{ blocksFrom: number; tracesFrom: number; parentHash?: string }>
  /** When to look at the outcome; both stages live at the head by default. */
  readonly until?: (blocks: StageStatus, clock: VirtualClock) => boolean
}

type Ran = {
  readonly node: ReplayNode
  readonly source: EvmSource
  readonly clock: VirtualClock
  readonly stage: (name: string) => StageStatus
  readonly blocks: () => BlockBatch
  readonly pieces: () => number
  /** That blocks and traces are exactly those of the recording. */
  readonly isWhole: () => void
}

/** Reads the chain from a node that behaves as `setting` says, until the outcome is clear. */
async function ran(setting: Setting): Promise<Ran> {
  const clock = virtualClock()
  const bad = await openReplayNode(file)
  const good = await openReplayNode(file)
  bad.head = good.head = setting.stepwise === true ? 10 : head
  bad.lie = setting.lie
  bad.script = (exchange) => {
    if (setting.elements !== undefined && exchange.batch) {
      const elements: object[] = JSON.parse(exchange.reply.text)
      exchange.reply.text = JSON.stringify(setting.elements(elements))
    }
    return setting.script?.(exchange, clock)
  }
  const world = worldOf(clock, { bad, good })
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: setting.honest === true ? ['http://bad/', 'http://good/'] : ['http://bad/'],
    expected: { chainId: 51002 },
    timeoutMs: 30_000,
    traceTimeoutMs: 120_000,
    maxInFlight: setting.serial === true ? 1 : 64,
    maxReplyBytes: setting.maxReplyBytes ?? 33_554_432,
  })
  const blocks: BlockBatch[] = []
  const traces: TraceBatch[] = []
  const stopping = new AbortController()
  const reader = new ChainReader({
    spec: {
      key: 'fuji-51002',
      network: 'fuji',
      name: '',
      symbol: '',
      rpcUrls: [],
      traces: 'auto',
      startHeight: 0,
      wrappedTokens: [],
      icmContracts: [],
    },
    source,
    writer: {
      begin: setting.begin ?? (async () => ({ blocksFrom: 0, tracesFrom: 0 })),
      blocks: async (batch) => void blocks.push(batch),
      traces: async (batch) => void traces.push(batch),
    },
    world,
    log: silentLog,
    compress: keep,
    limits: { bufferBytes: 8_000_000, batchBytes: 1_000_000 },
    changed: () => {},
  })
  const stage = (name: string): StageStatus => {
    const found = reader.stages().find((each) => each.stage === name)
    assert.ok(found)
    return found
  }
  const done = setting.until ?? ((): boolean => isLive(stage('blocks')) && isLive(stage('traces')))
  const running = reader.run(stopping.signal)
  for (let steps = 0; !done(stage('blocks'), clock); steps++) {
    assert.ok(
      clock.elapsedMs() < (setting.stepMs === undefined ? 3_000_000 : 90_000_000),
      `too late: ${JSON.stringify(reader.stages())}`,
    )
    await clock.sleep(setting.stepMs ?? 100)
    if (setting.stepwise === true && bad.head < head && steps % 10 === 0)
      bad.head = good.head = Math.min(head, bad.head + 1 + (steps % 3))
  }
  stopping.abort()
  await running
  return {
    node: bad,
    source,
    clock,
    stage,
    blocks: () => mergeBlocks(blocks),
    pieces: () => blocks.length,
    isWhole: () => {
      assert.deepEqual(digest(mergeBlocks(blocks)), digest(truth.blocks))
      assert.deepEqual(digest(mergeTraces(traces)), digest(truth.traces))
    },
  }
}

function isLive(status: StageStatus): boolean {
  return status.state === 'live' && status.indexedHeight === head
}

function worldOf(clock: VirtualClock, nodes: Record<string, ReplayNode>): World {
  let seed = 1
  return {
    clock,
    transport: replayTransport(nodes, clock),
    random: {
      bytes: (size) => new Uint8Array(size),
      number: () => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed / 2_147_483_647
      },
    },
    files: {
      read: async () => undefined,
      write: async () => {},
      list: async () => [],
    },
  }
}

/** Lies about heights from 30 on that contradict themselves. */
function lies(): [string, Lie][] {
  const inBlock =
    (change: (block: Record<string, unknown>) => unknown): Lie =>
    (call, result) => {
      const at = Number(call.params[0])
      return call.method === 'eth_getBlockByNumber' && call.params[1] === true && at >= 30
        ? change({ ...objectOf(result, 'block') })
        : result
    }
  const inReceipts =
    (change: (receipts: Record<string, unknown>[]) => unknown): Lie =>
    (call, result) => {
      const at = Number(call.params[0])
      if (call.method !== 'eth_getBlockReceipts' || at < 30 || !Array.isArray(result)) return result
      return result.length === 0 ? ['none'] : change(structuredClone(result))
    }
  return [
    ['another height', inBlock((block) => ({ ...block, number: '0x3' }))],
    ['gas that does not add up', inBlock((block) => ({ ...block, gasUsed: '0x1' }))],
    ['transactions lost', inBlock((block) => ({ ...block, transactions: [] }))],
    ['a hash of another form', inBlock((block) => ({ ...block, hash: '0x12' }))],
    ['not a block', inBlock(() => 'block')],
    ['receipts reordered', inReceipts((all) => (all.length > 1 ? all.toReversed() : ['one']))],
    [
      'a receipt of another block',
      inReceipts(([first, ...rest]) => [{ ...first, blockHash: '0x' }, ...rest]),
    ],
    ['receipts that are no list', inReceipts(() => ({}))],
    ['a log lost', inReceipts((all) => withoutFirstLog(all))],
  ]
}

function withoutFirstLog(receipts: Record<string, unknown>[]): unknown {
  for (const receipt of receipts) {
    const { logs } = receipt
    if (!Array.isArray(logs) || logs.length < 1) continue
    // The last log of a block could vanish unseen by indexes alone, so the first goes.
    receipt['logs'] = logs.slice(1)
    return receipts.some((each) => each !== receipt || logs.length > 1) ? receipts : ['only']
  }
  return ['none']
}

/** Another history from `height` on: consistent in itself, linked to nothing before. */
function forkAt(height: number): Lie {
  const swap = (hash: unknown): string => `0x${toHex(sha256(Buffer.from(String(hash))))}`
  return (call, result) => {
    if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(call.method)) return result
    if (Number(call.params[0]) < height || result === null) return result
    return JSON.parse(
      JSON.stringify(result, (key, value: unknown) =>
        key === 'blockHash' || key === 'parentHash' || (key === 'hash' && !isTxHash(value))
          ? swap(value)
          : value,
      ),
    )
  }
}

function isTxHash(hash: unknown): boolean {
  return truth.txHashes.has(String(hash))
}

function failed(element: object, error: object): object {
  const { id } = objectOf(element, 'element')
  return { jsonrpc: '2.0', id, error }
}

/** What tells two batches apart: every column, whatever batches it came in. */
function digest(batch: BlockBatch | TraceBatch): unknown {
  const hashes: Record<string, string> = {}
  const walk = (value: unknown, path: string): void => {
    // Places in the arena depend on the cuts; its content and all lengths do not.
    if (path.endsWith('.offset')) return
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      hashes[path] = toHex(sha256(bytes))
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) walk(part, `${path}.${name}`)
    } else hashes[path] = String(value)
  }
  walk(batch, '')
  return hashes
}

/** Blocks and traces of the recording, decoded one by one so that they merge as any other. */
async function truthOf(): Promise<{
  readonly blocks: BlockBatch
  readonly traces: TraceBatch
  readonly txHashes: ReadonlySet<string>
}> {
  const { recording } = await openReplayNode(file)
  const { signal } = new AbortController()
  const range = { from: 0, until: head + 1 }
  const txHashes = new Set<string>()
  const blocks = await recording.blocks(
    range,
    (units) => {
      for (const unit of units)
        for (const receipt of unit.receipts)
          txHashes.add(String(objectOf(receipt, 'receipt')['transactionHash']))
      return decodeBlocks(0, units, keep)
    },
    signal,
  )
  const traces = await recording.traces(range, (all) => decodeTraces(0, all), signal)
  return { blocks, traces, txHashes }
}
