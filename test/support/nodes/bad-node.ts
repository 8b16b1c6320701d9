/** A node that misbehaves as a test says, read through the real pool and pipeline. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

import { noAddress } from '../../../src/codec/evm/columns/column-kinds.ts'
import type { BlockBatch, TraceBatch } from '../../../src/codec/evm/columns/columns.ts'
import { mergeBlocks, mergeTraces } from '../../../src/codec/evm/columns/merge-batches.ts'
import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../src/codec/evm/decode-traces.ts'
import { objectOf } from '../../../src/codec/evm/raw.ts'
import { to0x, toHex } from '../../../src/core/bytes.ts'
import { sha256 } from '../../../src/core/hash.ts'
import type { World } from '../../../src/core/world.ts'
import type { Unchecked } from '../../../src/indexing/evm/read/block-checks.ts'
import { ChainReader } from '../../../src/indexing/evm/read/read-chain.ts'
import type { StageStatus } from '../../../src/indexing/stream/stage.ts'
import type { ChainIdentity, EvmSource } from '../../../src/source/evm-source.ts'
import { openNodeSource } from '../../../src/source/evm/node-source.ts'
import type { TracedRow } from '../../../src/store/query/evm/transactions.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { drawsOf } from '../processes/draws.ts'
import { virtualClock, type VirtualClock } from '../processes/virtual-clock.ts'
import { type NodeCall } from './json-rpc-reply.ts'
import { openReplayNode, replayTransport, type ReplayNode } from './replay-node.ts'

const file = await readFile(new URL('../../../demo/chain-51002.firnrec', import.meta.url))
const keep = (bytes: Uint8Array): Uint8Array => bytes

/** Heights read in each test. Enough for several requests of every kind. */
export const head = 60

/** Answers of the recorded node. */
export const truth = await truthOf()

/** A node's answer to a method it lacks. */
export const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }

/** Changes the result of a call. */
export type Lie = (call: NodeCall, result: unknown) => unknown

/** Misbehaviour of the node, and other unusual things. */
export type Setting = {
  readonly script?: (
    exchange: Parameters<NonNullable<ReplayNode['script']>>[0],
    clock: VirtualClock,
  ) => 'hang' | 'reset' | void
  /** Changes the elements of batch replies. */
  readonly elements?: (elements: readonly object[]) => readonly object[]
  readonly lie?: Lie
  /** Changes of both endpoints to the recording: a chain of another kind. */
  readonly form?: Lie
  /** Rows that were stored may be taken away. */
  readonly maySpoil?: boolean
  /** A second endpoint that is honest, or like the first. */
  readonly honest?: boolean
  readonly alike?: boolean
  /** A third endpoint, honest. */
  readonly witness?: boolean
  /** One read of traces in so many is compared between endpoints. */
  readonly compareEvery?: number
  /** Newest height instead of {@link head}. */
  readonly head?: number
  /** The head starts at 10 and moves on as time passes. */
  readonly stepwise?: boolean
  /** Time between two looks at the outcome; 100 ms. */
  readonly stepMs?: number
  /** Nobody knows what chain the endpoints must serve. */
  readonly fresh?: boolean
  /** One request at a time. */
  readonly serial?: boolean
  readonly maxReplyBytes?: number
  /** One block in so many is checked far behind the head; 1. */
  readonly checkEvery?: number
  readonly begin?: (
    identity: ChainIdentity,
  ) => Promise<{ blocksFrom: number; tracesFrom: number; parentHash?: string }>
  /** When to look at the outcome; both stages live at the head by default. */
  readonly until?: (
    blocks: StageStatus,
    clock: VirtualClock,
    stage: (name: string) => StageStatus,
  ) => boolean
}

/** Result of it. */
export type Ran = {
  readonly node: ReplayNode
  readonly source: EvmSource
  readonly clock: VirtualClock
  readonly stage: (name: string) => StageStatus
  readonly blocks: () => BlockBatch
  readonly pieces: () => number
  /** Batches of traces that begin at `from` or later. */
  readonly traces: (from: number) => TraceBatch
  /** Heights at which traces began anew because those before could not be had. */
  readonly skips: readonly number[]
  /** Heights from which on rows were taken away. */
  readonly cuts: readonly number[]
  /** Blocks taken without a check, by its name. */
  readonly unchecked: () => Unchecked
  /** Of the log of the reader: events with their fields as text. */
  readonly warnings: readonly string[]
  /** That blocks and traces are exactly those of the recording. */
  readonly isWhole: () => void
}

/** Reads the chain from a node that behaves as `setting` says, until the outcome is clear. */
export async function ran(setting: Setting): Promise<Ran> {
  const clock = virtualClock()
  const bad = await openReplayNode(file)
  const good = await openReplayNode(file)
  const fair = await openReplayNode(file)
  bad.head = good.head = fair.head = setting.stepwise === true ? 10 : (setting.head ?? head)
  const { form = (_, result) => result, lie: alter = (_, result) => result } = setting
  bad.lie = (call, result) => alter(call, form(call, result))
  good.lie = setting.alike === true ? bad.lie : form
  bad.script = (exchange) => {
    if (setting.elements !== undefined && exchange.batch) {
      const elements: object[] = JSON.parse(exchange.reply.text)
      exchange.reply.text = JSON.stringify(setting.elements(elements))
    }
    return setting.script?.(exchange, clock)
  }
  fair.lie = form
  const world = worldOf(clock, { bad, good, fair })
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: [
      'http://bad/',
      ...(setting.honest === true ? ['http://good/'] : []),
      ...(setting.witness === true ? ['http://fair/'] : []),
    ],
    expected: setting.fresh === true ? {} : { chainId: 51002 },
    timeoutMs: 30_000,
    traceTimeoutMs: 120_000,
    maxInFlight: setting.serial === true ? 1 : 64,
    maxReplyBytes: setting.maxReplyBytes ?? 33_554_432,
  })
  const blocks: BlockBatch[] = []
  const traces: TraceBatch[] = []
  const warnings: string[] = []
  const skips: number[] = []
  const cuts: number[] = []
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
      isOfNode: async () => true,
      begin: setting.begin ?? (async () => rowsEnd(blocks, traces)),
      blocks: async (batch) => void blocks.push(batch),
      traces: async (batch) => void traces.push(batch),
      skipTraces: async (since) => void skips.push(since),
      transactions: async ({ from, until }) =>
        blocks
          .filter((batch) => from < batch.until && batch.from < until)
          .flatMap(transactionsOf)
          .filter(({ height }) => from <= height && height < until),
      cut: async (from) => {
        assert.ok(setting.maySpoil, 'nothing stored is wrong')
        cuts.push(from)
        for (const all of [blocks, traces]) while ((all.at(-1)?.until ?? 0) > from) all.pop()
      },
    },
    world,
    log: {
      ...silentLog,
      warn: (event, fields) => warnings.push(`${event} ${JSON.stringify(fields)}`),
    },
    compress: keep,
    checkEvery: setting.checkEvery ?? 1,
    ...(setting.compareEvery === undefined ? {} : { compareEvery: setting.compareEvery }),
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
  for (let steps = 0; !done(stage('blocks'), clock, stage); steps++) {
    assert.ok(
      clock.elapsedMs() < (setting.stepMs === undefined ? 3_000_000 : 90_000_000),
      `too late: ${JSON.stringify(reader.stages())}`,
    )
    await clock.sleep(setting.stepMs ?? 100)
    if (setting.stepwise === true && bad.head < head && steps % 10 === 0)
      bad.head = good.head = fair.head = Math.min(head, bad.head + 1 + (steps % 3))
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
    traces: (from) => mergeTraces(traces.filter((batch) => batch.from >= from)),
    skips,
    cuts,
    unchecked: () => reader.unchecked(),
    warnings,
    isWhole: () => {
      assert.deepEqual(digest(mergeBlocks(blocks)), digest(truth.blocks))
      assert.deepEqual(digest(mergeTraces(traces)), digest(truth.traces))
    },
  }
}

/** Where rows end; batches are taken away whole. */
function rowsEnd(
  blocks: readonly BlockBatch[],
  traces: readonly TraceBatch[],
): { blocksFrom: number; tracesFrom: number; parentHash?: string } {
  const last = blocks.at(-1)
  const from = { blocksFrom: last?.until ?? 0, tracesFrom: traces.at(-1)?.until ?? 0 }
  return last === undefined ? from : { ...from, parentHash: to0x(last.blocks.hash.slice(-32)) }
}

function isLive(status: StageStatus): boolean {
  return status.state === 'live' && status.indexedHeight === head
}

function worldOf(clock: VirtualClock, nodes: Record<string, ReplayNode>): World {
  return {
    clock,
    transport: replayTransport(nodes, clock),
    random: {
      bytes: (size) => new Uint8Array(size),
      number: drawsOf(1).number,
    },
    files: {
      read: async () => undefined,
      write: async () => {},
      remove: async () => {},
      list: async () => [],
    },
  }
}

/** Contents of batches: every column, whatever batches it came in. */
export function digest(batch: BlockBatch | TraceBatch): unknown {
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

/** Traces of the recording, heights `[from, until)`. */
export async function trueTraces(from: number, until: number): Promise<TraceBatch> {
  const { recording } = await openReplayNode(file)
  const { signal } = new AbortController()
  return recording.traces({ from, until }, (all) => decodeTraces(from, all), signal)
}

/** Blocks and traces of the recording, decoded one by one so that they merge as any other. */
async function truthOf(): Promise<{
  readonly blocks: BlockBatch
  readonly traces: TraceBatch
  readonly txHashes: ReadonlySet<string>
  /** By height. */
  readonly headers: readonly object[]
}> {
  const { recording } = await openReplayNode(file)
  const { signal } = new AbortController()
  const range = { from: 0, until: head + 1 }
  const txHashes = new Set<string>()
  const headers: object[] = []
  const blocks = await recording.blocks(
    range,
    (units) => {
      for (const { block, receipts } of units) {
        headers.push(block)
        for (const receipt of receipts)
          txHashes.add(String(objectOf(receipt, 'receipt')['transactionHash']))
      }
      return decodeBlocks(0, units, keep)
    },
    signal,
  )
  const traces = await recording.traces(range, (all) => decodeTraces(0, all), signal)
  return { blocks, traces, txHashes, headers }
}

/** Transactions as the store gives them once a batch is in it. */
function transactionsOf({ from, txs, addresses, arena }: BlockBatch): TracedRow[] {
  const address = (id: number | undefined): Uint8Array | undefined =>
    id === undefined || id === noAddress ? undefined : addresses.slice(id * 20, id * 20 + 20)
  return Array.from(txs.block, (block, row) => {
    const at = txs.value.offset[row] ?? 0
    return {
      height: from + block,
      hash: txs.hash.slice(row * 32, row * 32 + 32),
      from: address(txs.from[row]) ?? new Uint8Array(),
      to: address(txs.to[row]) ?? address(txs.created[row]),
      value: arena.slice(at, at + (txs.value.length[row] ?? 0)),
      gasUsed: txs.gasUsed[row] ?? 0,
      isFailedCreation: txs.status[row] === 0 && address(txs.to[row]) === undefined,
    }
  })
}
