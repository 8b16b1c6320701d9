/**
 * A recorded chain through reader, writer and store, against totals of an independent program.
 *
 * Everything is real but the clock and the threads.
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { to0x } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import type { World } from '../../src/core/world.ts'
import { openEvmSource } from '../../src/indexing/evm/read/open-source.ts'
import { ChainReader } from '../../src/indexing/evm/read/read-chain.ts'
import { openChainHost } from '../../src/indexing/evm/run/chain-host.ts'
import type { ChainSpec } from '../../src/indexing/stream/chain-spec.ts'
import { statement } from '../../src/store/engine/database.ts'
import { type FreezeSettings, openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'

const root = new URL('../../', import.meta.url)
const folder = await mkdtemp(join(tmpdir(), 'firn-test-'))
after(() => rm(folder, { recursive: true, force: true }))

const limits = {
  timeoutMs: 30_000,
  traceTimeoutMs: 60_000,
  maxInFlight: 16,
  maxReplyBytes: 33_554_432,
  bufferBytes: 33_554_432,
  checkEvery: 1,
}

for (const chain of [51001, 51002]) {
  void test(`chain ${chain}: the store holds the totals of the facts file`, async () => {
    await index(chain, 'x')
    assert.deepEqual(await counts(chain), await expected(chain))
  })

  void test(`chain ${chain}: a second start changes nothing`, async () => {
    await index(chain, 'y')
    assert.deepEqual(await counts(chain), await expected(chain))
  })

  void test(`chain ${chain}: tokens are named as the node names them`, async () => {
    const state = await nodeNames(chain)
    for (const { address, name, symbol, decimals } of await tokens(chain)) {
      const named = state.get(address)
      assert.equal(name ?? undefined, named?.name, `name of ${address}`)
      assert.equal(symbol ?? undefined, named?.symbol, `symbol of ${address}`)
      assert.equal(decimals ?? undefined, named?.decimals, `decimals of ${address}`)
    }
  })

  void test(`chain ${chain}: only tokens whose logs lie are inexact`, async () => {
    const meta = await vector(`meta-${chain}.json`)
    const liars = new Set<unknown>(listIn(meta, 'spam'))
    for (const each of listIn(meta, 'tokens')) {
      const { a: address, k: kind } = objectOf(each, 'token')
      if (kind === 'SilentFeeToken' || kind === 'RebaseToken') liars.add(address)
    }
    const found = (await tokens(chain)).filter(({ standard }) => standard === 20)
    assert.ok(found.length > liars.size)
    for (const { address, isInexact } of found) assert.equal(isInexact, liars.has(address), address)
  })
}

void test('a store of one chain: is not written by another', async () => {
  await assert.rejects(
    index(51001, 'z', { key: 'fuji-51002' }),
    (error) => error instanceof Fault && error.code === 'foreign-store',
  )
})

void test('a store that fails now and then: the chain goes on from its rows', async () => {
  let commits = 0
  let failures = 0
  const key = 'fuji-shaky'
  await index(51002, 'x', {
    key,
    batchBytes: 40_000,
    // Every third batch is not stored, every fourth is stored but the commit fails.
    around: (commit) => async (batch, news) => {
      const turn = ++commits
      if (turn % 3 !== 0) await commit(batch, news)
      if (turn % 3 !== 0 && turn % 4 !== 0) return
      failures++
      throw new Fault('store-failed', 'cut off')
    },
  })
  assert.ok(failures > 10, `failures: ${failures}`)
  assert.deepEqual(await counts(51002, key), await expected(51002))
})

void test('without traces: proven blocks become segments as they are stored', async () => {
  const key = 'fuji-frozen'
  const freeze = { rowsAtOnce: 1, rowsInTables: 0 }
  await index(51002, 'x', { key, freeze, traces: 'off', batchBytes: 100_000 })
  const store = await openStore(
    { store: 'embedded', dataDir: folder, freeze },
    key,
    chainTables,
    'read',
  )
  const inTables = await store.get(statement('select height from evm_block', { over: 'tables' }))
  const segments = await segmentsOf(store)
  await store.close()
  assert.equal(inTables, undefined)
  assert.ok(segments.length > 2, `segments: ${segments.length}`)
  const { listedInternals, revertedListed, ...wanted } = await expected(51002)
  const found = await counts(51002, key, freeze)
  assert.ok(Number(listedInternals) > 0 && Number(revertedListed) > 0)
  assert.deepEqual(found, { ...wanted, listedInternals: 0, revertedListed: 0 })
})

/** Differences of the link to the store of a chain from the usual one. */
type Unusual = {
  readonly key?: string
  readonly batchBytes?: number
  readonly freeze?: FreezeSettings
  readonly traces?: ChainSpec['traces']
  readonly around?: <B, N>(
    commit: (batch: B, news: N) => Promise<void>,
  ) => (batch: B, news: N) => Promise<void>
}

/** Indexes the demo chain until blocks, traces and tokens are done. */
async function index(chain: number, owner: string, unusual: Unusual = {}): Promise<void> {
  const { key = `fuji-${chain}`, batchBytes = 1_000_000, around = (commit) => commit } = unusual
  const { freeze, traces = 'auto' } = unusual
  const spec: ChainSpec = {
    key,
    network: 'fuji',
    name: '',
    symbol: '',
    rpcUrls: [],
    recording: new URL(`demo/chain-${chain}.firnrec`, root).pathname,
    traces,
    startHeight: 0,
    wrappedTokens: [],
    icmContracts: [],
  }
  const clock = virtualClock()
  const world: World = {
    clock,
    random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
    transport: { request: () => Promise.reject(new Error('no network')) },
    files: {
      read: (path) => readFile(path),
      write: async () => {},
      remove: async () => {},
      list: async () => [],
    },
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const source = await openEvmSource(spec, limits, { world, log: silentLog })
  const host = await openChainHost(spec, await source.identity(signal), {
    world,
    log: silentLog,
    store: { store: 'embedded', dataDir: folder, ...(freeze === undefined ? {} : { freeze }) },
    limits,
    owner,
    signal,
  })
  const reader = new ChainReader({
    spec,
    source,
    writer: {
      begin: host.resume,
      isOfNode: host.isOfNode,
      blocks: around(host.blocks),
      traces: around(host.traces),
      skipTraces: host.skipTraces,
      transactions: host.transactions,
      cut: async (from) => void (await host.cut(from)),
    },
    world,
    log: silentLog,
    compress: (bytes) => zstdCompressSync(bytes),
    checkEvery: 1,
    limits: { bufferBytes: limits.bufferBytes, batchBytes },
    changed: () => {},
  })
  const running = [reader.run(signal), ...host.streams.map((stream) => stream.run(signal))]
  const last = (await source.headHeight(signal)) as number
  // These have no height.
  const without = new Set(['lease', 'pace', 'blockchain id', 'freeze', 'merge', 'check'])
  const isDone = (): boolean =>
    [...reader.stages(), ...host.streams.map((stream) => stream.status())].every(
      ({ stage, state, indexedHeight }) =>
        without.has(stage) ||
        (stage === 'traces' && traces === 'off') ||
        (state === 'live' && indexedHeight === last),
    )
  while (!isDone()) {
    assert.ok(clock.elapsedMs() < 600_000, JSON.stringify(reader.stages()))
    await clock.sleep(100)
  }
  stopping.abort()
  await Promise.all(running)
  await host.close()
}

async function counts(
  chain: number,
  key = `fuji-${chain}`,
  freeze?: FreezeSettings,
): Promise<Record<string, number>> {
  const location = {
    store: 'embedded',
    dataDir: folder,
    ...(freeze === undefined ? {} : { freeze }),
  }
  const store = await openStore(location, key, chainTables, 'read')
  // Segments do not know `count`.
  const count = async (
    words: string,
    column = 'pos',
    over: 'oldest' | 'tables' = 'oldest',
  ): Promise<number> =>
    (await store.all(statement(`select ${column} from ${words}`, { over }))).length
  const found = {
    blocks: await count('evm_block', 'height'),
    txs: await count('evm_transaction'),
    failedTxs: await count('evm_transaction_failed'),
    erc20: await count('transfer where kind = 0'),
    erc721: await count('transfer where kind = 1'),
    erc721OneTopic: await count('transfer where kind = 2'),
    erc1155Single: await count('transfer where kind = 3'),
    erc1155BatchRows: await count('transfer where kind = 4'),
    listedInternals: await count('internal', 'pos', 'tables'),
    revertedListed: await count('internal where reverted = 1', 'pos', 'tables'),
  }
  await store.close()
  return found
}

async function expected(chain: number): Promise<Record<string, unknown>> {
  const total = objectOf((await vector(`facts-${chain}.json`))['total'], 'total')
  const names = [
    'blocks',
    'txs',
    'failedTxs',
    'erc20',
    'erc721',
    'erc721OneTopic',
    'erc1155Single',
    'erc1155BatchRows',
    'listedInternals',
    'revertedListed',
  ]
  return Object.fromEntries(names.map((name) => [name, total[name]]))
}

type TokenFound = {
  readonly address: string
  readonly standard: number
  readonly name: unknown
  readonly symbol: unknown
  readonly decimals: unknown
  readonly isInexact: boolean
}

async function tokens(chain: number): Promise<TokenFound[]> {
  const store = await openStore(
    { store: 'embedded', dataDir: folder },
    `fuji-${chain}`,
    chainTables,
    'read',
  )
  const rows = await store.all(
    statement(
      `select a.bytes, t.standard, t.name, t.symbol, t.decimals, t.inexact_height
       from token t join address a on a.id = t.id`,
    ),
  )
  await store.close()
  return rows.map(([address, standard, name, symbol, decimals, inexactHeight]) => ({
    address: to0x(address as Uint8Array),
    standard: Number(standard),
    name,
    symbol,
    decimals,
    isInexact: inexactHeight !== null,
  }))
}

/** Names in the recorded answers, decoded here by hand. */
async function nodeNames(
  chain: number,
): Promise<Map<string, { name?: string; symbol?: string; decimals?: number }>> {
  const source = await openEvmSource(
    {
      rpcUrls: [],
      recording: new URL(`demo/chain-${chain}.firnrec`, root).pathname,
    },
    limits,
    {
      log: silentLog,
      world: {
        clock: virtualClock(),
        random: { bytes: (size) => new Uint8Array(size), number: () => 0 },
        transport: { request: () => Promise.reject(new Error('no network')) },
        files: {
          read: (path) => readFile(path),
          write: async () => {},
          remove: async () => {},
          list: async () => [],
        },
      },
    },
  )
  const { signal } = new AbortController()
  const found = new Map<string, { name?: string; symbol?: string; decimals?: number }>()
  for (const { address } of await tokens(chain)) {
    const answers = await source.state(
      ['0x06fdde03', '0x95d89b41', '0x313ce567'].map((data) => ({
        method: 'eth_call' as const,
        target: { to: address, data },
      })),
      'latest',
      signal,
    )
    const [name, symbol, decimals] = answers.map((each) =>
      each.kind === 'value' ? Buffer.from(each.value.slice(2), 'hex') : undefined,
    )
    const details: { name?: string; symbol?: string; decimals?: number } = {}
    if (name !== undefined) details.name = abiText(name)
    if (symbol !== undefined) details.symbol = abiText(symbol)
    if (decimals !== undefined) details.decimals = decimals.readUInt8(31)
    found.set(address, details)
  }
  return found
}

function abiText(bytes: Buffer): string {
  return bytes.length === 32
    ? bytes.toString('utf8').replaceAll('\0', '')
    : bytes.toString('utf8', 64, 64 + bytes.readUInt8(63))
}

function listIn(object: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = object[name]
  assert.ok(Array.isArray(list), name)
  return list
}

async function vector(name: string): Promise<Readonly<Record<string, unknown>>> {
  return objectOf(JSON.parse(await readFile(new URL(`vectors/evm/${name}`, root), 'utf8')), name)
}
