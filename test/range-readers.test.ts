/**
 * Blocks that other processes read for the one that indexes: over real sockets, from a node that
 * replays a recorded chain. What is handed to the writer is what its own node alone would have told,
 * whatever happens to those that read for it.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { batchSum } from '../src/codec/evm/batch-sum.ts'
import type { BlockBatch } from '../src/codec/evm/columns.ts'
import { mergeBlocks } from '../src/codec/evm/merge-batches.ts'
import { readConfig } from '../src/config/read-config.ts'
import type { Config } from '../src/config/settings.ts'
import { rangeQuery } from '../src/indexing/evm/ranges/range-bytes.ts'
import { RangeReaders } from '../src/indexing/evm/ranges/range-readers.ts'
import { RemoteReader } from '../src/indexing/evm/ranges/remote-reader.ts'
import { ChainReader } from '../src/indexing/evm/read/read-chain.ts'
import { openRangeService, type RangeService } from '../src/service/range-service.ts'
import { openNodeSource } from '../src/source/node-source.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openWorld } from '../src/world/world.ts'
import { openReplayNode, type ReplayNode, serveReplayNode } from './replay-node.ts'

const file = await readFile(new URL('../demo/chain-51002.firnrec', import.meta.url))
const limits = { timeoutMs: 30_000, maxInFlight: 16, maxReplyBytes: 33_554_432 }
const token = 'known to both'

void test('two machines read ranges for a third: its rows are those of one machine', async (t) => {
  const alone = await index(t, [])
  const services = [await service(t), await service(t)]
  const together = await index(
    t,
    services.map(({ url }) => url),
  )
  assert.equal(together.sum, alone.sum)
  assert.ok(
    together.own < alone.own * 0.7,
    `${together.own} of ${alone.own} blocks by its own node`,
  )
  for (const { node } of services) assert.ok(blocksAsked(node) > 0)
})

void test('a machine that ends while it reads: its ranges are read by the own node', async (t) => {
  const alone = await index(t, [])
  const one = await service(t)
  let asked = 0
  one.node.script = () => {
    if (++asked === 4) void one.stop()
  }
  const { sum, readers } = await index(t, [one.url])
  assert.equal(sum, alone.sum)
  assert.ok(asked >= 4)
  assert.match(readers.endpoints()[0]?.problem ?? '', /does not answer|busy/)
})

void test('bytes that were changed on their way: are not taken', async (t) => {
  const alone = await index(t, [])
  const { url } = await service(t)
  const proxy = await listen(t, (request, response) => {
    void (async () => {
      const headers = { authorization: request.headers.authorization ?? '' }
      const reply = await fetch(`${url}${request.url}`, { headers })
      const bytes = new Uint8Array(await reply.arrayBuffer())
      const at = Math.floor(bytes.length / 2)
      bytes[at] = 1 ^ Number(bytes[at])
      response.end(bytes)
    })()
  })
  const { sum, own, readers } = await index(t, [proxy])
  assert.equal(sum, alone.sum)
  assert.equal(own, alone.own)
  assert.match(readers.endpoints()[0]?.problem ?? '', /changed on its way/)
})

void test('machines that cannot help: what they say is shown, and nothing waits', async (t) => {
  const alone = await index(t, [])
  const stranger = await service(t, { 'reader.token': 'another' })
  const other = await service(t, {}, 'chain-51001')
  const untrue = await service(t, { 'source.timeoutMs': '500' })
  untrue.node.lie = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && params[1] === true && typeof result === 'object'
      ? { ...result, gasUsed: '0x1' }
      : result
  const { sum, own, readers } = await index(t, [stranger.url, other.url, untrue.url])
  assert.equal(sum, alone.sum)
  assert.equal(own, alone.own)
  assert.deepEqual(
    readers.endpoints().map(({ problem }) => /status \d+|busy/.exec(problem ?? '')?.[0]),
    ['status 401', 'status 404', 'busy'],
  )
})

void test('requests: each mistake has its status', async (t) => {
  const { url, node } = await service(t)
  const { chainId } = node.recording.header
  const genesisHash = await genesisOf(node)
  const asked = rangeQuery({ chainId, genesisHash }, { from: 1, until: 3 })
  const status = async (path: string, init: RequestInit = {}): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    const reply = await fetch(`${url}${path}`, { headers, ...init })
    await reply.arrayBuffer()
    return reply.status
  }
  assert.equal(await status(asked), 200)
  assert.equal(await status(asked, { headers: {} }), 401)
  assert.equal(await status(asked, { method: 'DELETE' }), 405)
  assert.equal(await status('/v1/other'), 404)
  assert.equal(await status(asked.replace('until=3', 'until=1')), 400)
  assert.equal(await status(asked.replace('until=3', 'until=90000')), 400)
  assert.equal(await status(asked.replace(`chainId=${chainId}`, 'chainId=1')), 404)
  // The state of a genesis is in no block: its hash proves nothing that is told of it.
  assert.equal(await status(asked.replace('from=1&until=3', 'from=0&until=1')), 409)
})

void test('elsewhere than on loopback: a token is needed', async () => {
  const world = openWorld()
  await assert.rejects(
    openRangeService(
      configOf('http://127.0.0.1:1', { 'reader.host': '0.0.0.0', 'reader.token': '' }),
      {
        world,
        log: silentLog,
      },
    ),
    /reader\.token must be set/,
  )
  await world.close()
})

type Indexed = { readonly sum: string; readonly own: number; readonly readers: RangeReaders }

/** Reads the whole chain with the help of readers at `urls`. */
async function index(t: TestContext, urls: readonly string[]): Promise<Indexed> {
  const node = await openReplayNode(file)
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const world = openWorld()
  t.after(world.close)
  const parts = { world, log: silentLog, ...limits }
  const source = openNodeSource({ ...parts, urls: [url], traceTimeoutMs: 60_000, expected: {} })
  const others = urls.map((each) => new RemoteReader(each, { ...parts, token }))
  const readers = new RangeReaders({ others, clock: world.clock, log: silentLog })
  const batches: BlockBatch[] = []
  const stopping = new AbortController()
  const reader: ChainReader = new ChainReader({
    ...parts,
    spec: {
      key: 'fuji-test',
      network: 'fuji',
      name: '',
      symbol: '',
      rpcUrls: [],
      traces: 'off',
      startHeight: 0,
      wrappedTokens: [],
      icmContracts: [],
    },
    source,
    readers,
    writer: {
      begin: async () => ({ blocksFrom: 0, tracesFrom: 0 }),
      blocks: async (batch) => void batches.push(batch),
      traces: async () => {},
      skipTraces: async () => {},
      transactions: async () => [],
      cut: async () => {},
    },
    compress: (bytes) => zstdCompressSync(bytes),
    checkEvery: 1,
    limits: { bufferBytes: 33_554_432, batchBytes: 1_000_000 },
    changed: () => {
      if (reader.stages()[0]?.state === 'live') stopping.abort()
    },
  })
  await reader.run(stopping.signal)
  assert.equal(reader.stages()[0]?.state, 'live')
  return { sum: batchSum(mergeBlocks(batches)), own: blocksAsked(node), readers }
}

function blocksAsked({ seen }: ReplayNode): number {
  return seen.filter(({ method }) => method === 'eth_getBlockReceipts').length
}

async function genesisOf({ answer }: ReplayNode): Promise<string> {
  const call = { id: 1, method: 'eth_getBlockByNumber', params: ['0x0', false] }
  const { exchange } = answer(JSON.stringify(call))
  const { result } = JSON.parse(exchange.reply.text) as { result: { hash: string } }
  return result.hash
}

function configOf(rpcUrl: string, more: Readonly<Record<string, string>>): Config {
  const text = `chains: [{ name: test, rpcUrls: ['${rpcUrl}'] }]`
  const flags = { 'reader.port': '0', 'reader.token': token, ...more }
  return readConfig({ flags, environment: {}, file: { path: 'firn.yaml', text } }).config
}

/** A process that reads for others, over a node of its own. */
async function service(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  recording = 'chain-51002',
): Promise<RangeService & { readonly node: ReplayNode }> {
  const node = await openReplayNode(
    recording === 'chain-51002'
      ? file
      : await readFile(new URL(`../demo/${recording}.firnrec`, import.meta.url)),
  )
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const world = openWorld()
  t.after(world.close)
  const running = await openRangeService(configOf(url, settings), { world, log: silentLog })
  t.after(running.stop)
  return { ...running, node }
}

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
