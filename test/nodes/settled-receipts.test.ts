/**
 * Receipts on a chain that executes after acceptance, read through the real pool and pipeline: 44
 * blocks of a real C-Chain that crossed Helicon. No header commits to the receipts of its own block
 * there, so that an altered one is found three blocks later.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { mergeBlocks } from '../../src/codec/evm/columns/merge-batches.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { type RawUnit, objectOf } from '../../src/codec/evm/raw.ts'
import { to0x } from '../../src/core/bytes.ts'
import type { Transport } from '../../src/core/world.ts'
import { ChainReader } from '../../src/indexing/evm/read/read-chain.ts'
import type { StageStatus } from '../../src/indexing/stream/stage.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { provenHeightOf, type StoredProofs } from '../../src/store/query/evm/heights.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { digest } from '../support/nodes/bad-node.ts'
import { type NodeCall, replyText } from '../support/nodes/json-rpc-reply.ts'
import { virtualClock, type VirtualClock } from '../support/processes/virtual-clock.ts'

const file = new URL('../../vectors/evm/blocks.json.gz', import.meta.url)
const chains: readonly { readonly name: string; readonly units: readonly RawUnit[] }[] = JSON.parse(
  gunzipSync(readFileSync(file)).toString(),
).chains
const units = chains.find(({ name }) => name.includes('saevm'))?.units ?? []
const keep = (bytes: Uint8Array): Uint8Array => bytes
const truth = digest(mergeBlocks(units.map((unit, at) => decodeBlocks(at, [unit], keep))))
/** The last block whose receipts a recorded header settles. */
const lastProven = 41

type Setting = {
  readonly lies: readonly number[]
  readonly honest: boolean
  /** The head at first; it moves on by one block a second. */
  readonly head: number
  readonly until: (blocks: StageStatus, clock: VirtualClock) => boolean
  /** Bytes of a batch; all blocks that were read fit by default. */
  readonly batchBytes?: number
  /** Store of an earlier process; an empty one by default. */
  readonly store?: Store
}

/** Rows, and what is written down beside them. */
type Store = {
  readonly batches: BlockBatch[]
  proofs: StoredProofs
  /** Last proven height of each batch as it was stored, by the height after the batch. */
  readonly proven: Map<number, number>
}

/** Reads the chain from a node that alters the status of the first receipt of some blocks. */
async function read({
  lies,
  honest,
  head: first,
  batchBytes = 1_000_000,
  until,
  store = emptyStore(),
}: Setting) {
  const clock = virtualClock()
  const head = (): number =>
    Math.min(units.length - 1, first + Math.floor(clock.elapsedMs() / 1_000))
  const source = openNodeSource({
    world: {
      clock,
      transport: nodes(lies, head),
      random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
      files: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
        list: async () => [],
      },
    },
    log: silentLog,
    urls: honest ? ['http://bad/', 'http://good/'] : ['http://bad/'],
    expected: {},
    timeoutMs: 30_000,
    traceTimeoutMs: 30_000,
    maxInFlight: 1,
    maxReplyBytes: 33_554_432,
  })
  const { batches } = store
  const cuts: number[] = []
  const reader: ChainReader = new ChainReader({
    spec: {
      key: 'fuji-c',
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
    writer: {
      isOfNode: async () => true,
      begin: async () => {
        const last = batches.at(-1)
        if (last === undefined) return { blocksFrom: 0, tracesFrom: 0 }
        const parentHash = to0x(last.blocks.hash.subarray(-32))
        const { proofs } = store
        return { blocksFrom: last.until, tracesFrom: 0, parentHash, proofs }
      },
      blocks: async (batch, { proofs }) => {
        batches.push(batch)
        // As text, like a store keeps it.
        store.proofs = JSON.parse(JSON.stringify(proofs))
        store.proven.set(batch.until, provenHeightOf(proofs, batch.until - 1))
      },
      traces: async () => {},
      skipTraces: async () => {},
      transactions: async () => [],
      cut: async (from) => {
        cuts.push(from)
        while ((batches.at(-1)?.until ?? 0) > from) batches.pop()
        assert.equal(batches.at(-1)?.until, from, 'at the head each block is a batch')
      },
    },
    world: {
      clock,
      transport: nodes(lies, head),
      random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
      files: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
        list: async () => [],
      },
    },
    log: silentLog,
    compress: keep,
    checkEvery: 1,
    limits: { bufferBytes: 8_000_000, batchBytes },
    changed: () => {},
  })
  const stopping = new AbortController()
  const running = reader.run(stopping.signal)
  const blocks = (): StageStatus => {
    const [stage] = reader.stages()
    assert.ok(stage)
    return stage
  }
  while (!until(blocks(), clock)) {
    assert.ok(clock.elapsedMs() < 600_000, JSON.stringify(blocks()))
    await clock.sleep(100)
  }
  const status = blocks()
  stopping.abort()
  await running
  return { status, rows: () => digest(mergeBlocks(batches)), stored: () => batches, cuts, store }
}

function emptyStore(): Store {
  return { batches: [], proofs: {}, proven: new Map() }
}

function nodes(lies: readonly number[], head: () => number): Transport {
  return {
    request: async (request) => {
      const isBad = new URL(request.url).hostname === 'bad'
      const text = await replyText(request.body, (call) => answer(call, isBad ? lies : [], head()))
      return { status: 200, headers: {}, body: Buffer.from(text) }
    },
  }
}

function answer({ method, params }: NodeCall, lies: readonly number[], head: number): object {
  const height = Number(params[0])
  const unit = height > head ? undefined : units[height]
  switch (method) {
    case 'eth_chainId':
      return { result: '0xa868' }
    case 'eth_blockNumber':
      return { result: `0x${head.toString(16)}` }
    case 'eth_getBlockByNumber':
      return { result: unit?.block ?? null }
    case 'eth_getBlockReceipts':
      return {
        result: lies.includes(height) ? unit?.receipts.map(otherStatus) : (unit?.receipts ?? null),
      }
    default:
      return { error: { code: -32601, message: 'the method does not exist' } }
  }
}

function otherStatus(value: unknown): object {
  const receipt = objectOf(value, 'receipt')
  return { ...receipt, status: receipt['status'] === '0x1' ? '0x0' : '0x1' }
}

const isWhole = ({ state, indexedHeight }: StageStatus): boolean =>
  state === 'live' && indexedHeight === units.length - 1

void test('settled receipts: the status tells up to where they are proven', async () => {
  for (const head of [43, 5]) {
    const { status, rows } = await read({ lies: [], honest: false, head, until: isWhole })
    assert.deepEqual(rows(), truth)
    assert.equal(status.provenHeight, lastProven)
    assert.equal(status.unverified, undefined)
  }
})

void test('settled receipts: far below the head a batch is stored when all of it is proven', async () => {
  const { store } = await read({ lies: [], honest: false, head: 43, batchBytes: 1, until: isWhole })
  assert.deepEqual(
    [...store.proven],
    [
      [20, 19],
      [40, 39],
      [44, lastProven],
    ],
  )
})

void test('settled receipts: altered in a backfill, the honest endpoint is read instead', async () => {
  for (const lies of [[20], [12, 25], [14, 15, 16, 17, 18, 19]]) {
    const { status, rows } = await read({ lies, honest: true, head: 43, until: isWhole })
    assert.deepEqual(rows(), truth, String(lies))
    assert.equal(status.provenHeight, lastProven)
  }
})

void test('settled receipts: altered in a backfill, alone: nothing of it is handed on', async () => {
  const until = (_: StageStatus, clock: VirtualClock): boolean => clock.elapsedMs() > 60_000
  const { status, stored } = await read({ lies: [14], honest: false, head: 43, until })
  assert.ok(stored().every((batch) => batch.until <= 14))
  assert.match(
    status.reason ?? '',
    /receipts of blocks 14 to 14 are not those that block 17 settles/,
  )
  assert.notEqual(status.state, 'live')
})

void test('settled receipts: altered at the head, the rows are taken away and read again', async () => {
  const { status, rows, cuts } = await read({ lies: [30], honest: true, head: 25, until: isWhole })
  assert.deepEqual(rows(), truth)
  assert.deepEqual(cuts, [30])
  assert.equal(status.provenHeight, lastProven)
})

void test('settled receipts: altered at the head, alone: taken away once and not stored again', async () => {
  const until = (_: StageStatus, clock: VirtualClock): boolean => clock.elapsedMs() > 120_000
  const { status, cuts, stored } = await read({ lies: [30], honest: false, head: 25, until })
  assert.deepEqual(cuts, [30])
  assert.equal(stored().at(-1)?.until, 30)
  assert.match(status.reason ?? '', /receipts of blocks 30 to 30 .* block 33 settles/)
  assert.equal(status.state, 'syncing')
})

/** Rows up to block 31, block 30 of them altered: what settles it comes after the process ended. */
async function storedLie(): Promise<Store> {
  const until = ({ indexedHeight }: StageStatus): boolean => indexedHeight === 31
  const { store, cuts } = await read({ lies: [30], honest: false, head: 28, until })
  assert.deepEqual(cuts, [])
  assert.equal(store.batches.at(-1)?.until, 32)
  return store
}

void test('settled receipts: altered before a restart and true after it, they are read again', async () => {
  for (const honest of [true, false]) {
    const lies = honest ? [30] : []
    const store = await storedLie()
    const { status, rows, cuts } = await read({ lies, honest, head: 31, until: isWhole, store })
    assert.deepEqual(rows(), truth)
    assert.deepEqual(cuts, [30])
    assert.equal(status.provenHeight, lastProven)
  }
})

void test('settled receipts: altered before a restart and after it, a later header shows it', async () => {
  const until = (_: StageStatus, clock: VirtualClock): boolean => clock.elapsedMs() > 120_000
  const store = await storedLie()
  const { status, cuts, stored } = await read({ lies: [30], honest: false, head: 31, until, store })
  assert.deepEqual(cuts, [30])
  assert.equal(stored().at(-1)?.until, 30)
  assert.match(status.reason ?? '', /receipts of blocks 30 to 30 .* block 33 settles/)
})

void test('settled receipts: a process that ends right after rows were taken away goes on', async () => {
  for (const honest of [true, false]) {
    const store = await storedLie()
    const cut = await read({
      lies: [30],
      honest: false,
      head: 31,
      // Nothing more is stored once the altered rows are gone.
      until: () => store.batches.at(-1)?.until === 30,
      store,
    })
    assert.deepEqual(cut.cuts, [30])
    const lies = honest ? [30] : []
    const { status, rows, cuts } = await read({ lies, honest, head: 36, until: isWhole, store })
    assert.deepEqual(rows(), truth)
    assert.deepEqual(cuts, [])
    assert.equal(status.provenHeight, lastProven)
  }
})

void test('settled receipts: a restart knows what was proven and proves the rest', async () => {
  for (const head of [24, 31, 40]) {
    const first = await read({
      lies: [],
      honest: false,
      head,
      until: ({ indexedHeight }) => indexedHeight === head,
    })
    const proven = first.status.provenHeight
    assert.ok(proven !== undefined && proven < head)
    const again = await read({
      lies: [],
      honest: false,
      head,
      until: ({ provenHeight }) => provenHeight !== -1,
      store: first.store,
    })
    assert.equal(again.status.provenHeight, proven)
    assert.deepEqual(again.store.proofs.settlement?.unsettled.map(([at]) => at).at(-1), head)
    const { status, rows, cuts } = await read({
      lies: [],
      honest: false,
      head: again.status.indexedHeight,
      until: isWhole,
      store: again.store,
    })
    assert.deepEqual(rows(), truth)
    assert.deepEqual(cuts, [])
    assert.equal(status.provenHeight, lastProven)
  }
})
