/**
 * The bundled chains as tests need them: read from their recordings by the product's own decoder
 * and writer into a new store, and as raw JSON beside it.
 *
 * Nothing here computes an answer: what a test expects comes from `rawChain`.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import type {
  ChainFacts,
  ServedChain,
  StateReader,
} from '../../../src/api/operation/chain-directory.ts'
import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../src/codec/evm/decode-traces.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import type { Clock } from '../../../src/core/world.ts'
import { EvmIngest } from '../../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../../src/rollup/chain-rollup.ts'
import { createStateReader } from '../../../src/service/stores/state-reader.ts'
import { linesOf, listParts, partKinds } from '../../../src/source/recorded/recording-file.ts'
import { openRecording, type Recording } from '../../../src/source/recorded/recording.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import type { BucketHistory } from '../../../src/store/history/segment-cache.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { wordColumns } from '../../../src/store/query/search/tokens-named.ts'
import { token, tokenWord } from '../../../src/store/schema/evm.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { manualClock } from '../processes/manual-clock.ts'
import { countAll } from './count-all.ts'
import { freezeAt } from './freeze-store.ts'
import { copyOfMade } from './made-stores.ts'
import { copyOfDatabase } from './shared-postgres.ts'

/** The two bundled chains. */
export type DemoChainId = 51001 | 51002

/** A log of a receipt as the node gave it. */
export type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
}

/** A receipt as the node gave it; only what tests look at. */
export type RawReceipt = {
  readonly transactionHash: string
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly logs: readonly RawLog[]
}

/** A transaction as the node gave it; only what tests look at. */
export type RawTransaction = {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly input: string
  readonly nonce: string
  readonly gas: string
  readonly type: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
}

/** A block as the node gave it; only what tests look at. */
export type RawBlock = {
  readonly hash: string
  readonly parentHash: string
  readonly number: string
  readonly timestamp: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly baseFeePerGas: string
  readonly transactions: readonly RawTransaction[]
}

/** A frame of a call trace. */
export type RawFrame = {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly error?: string
  readonly calls?: readonly RawFrame[]
}

/** One height: a block, its receipts and the traces of its transactions. */
export type RawHeight = {
  readonly block: RawBlock
  readonly receipts: readonly RawReceipt[]
  readonly traces: readonly { readonly result: RawFrame }[]
}

/** A chain that is served from a new store. */
export type DemoChain = {
  readonly served: ServedChain
  readonly close: () => Promise<void>
}

/** Cuts a chain as a pipeline would. */
const blocksPerBatch = 64
const recordings = new Map<DemoChainId, Uint8Array>()
const raws = new Map<DemoChainId, RawHeight[]>()

/** Name and facts of the chain. */
export function demoFacts(chainId: number, recording: Recording): ChainFacts {
  const { blockchainId } = recording.header
  return {
    key: `fuji-${chainId}`,
    network: 'fuji',
    evmChainId: chainId,
    name: recording.header.name,
    symbol: recording.header.symbol,
    decimals: 18,
    description: 'A recorded chain',
    ...(blockchainId === undefined ? {} : { blockchainId: fromHex(blockchainId) }),
  }
}

/** Every height of a chain as the node gave it, parsed from the recording without our codec. */
export function rawChain(chainId: DemoChainId): readonly RawHeight[] {
  const known = raws.get(chainId)
  if (known !== undefined) return known
  const file = recordingFile(chainId)
  const parts = listParts(file)
  const lines = (kind: number): string[] =>
    parts.filter((part) => part.kind === kind).flatMap((part) => linesOf(file, part))
  const traces = lines(partKinds.traces).map((line) => JSON.parse(line))
  const heights = lines(partKinds.blocks).map((line, height): RawHeight => ({
    ...JSON.parse(line),
    traces: traces[height],
  }))
  raws.set(chainId, heights)
  return heights
}

/**
 * A new store with a bundled chain, in `location` or one of its own, on the engine that is named; an
 * embedded one of its own is removed by `close`.
 */
export async function openDemoChain(
  chainId: DemoChainId,
  options: {
    readonly location?: StoreLocation
    readonly engine?: 'sqlite' | 'postgres'
    /** Heights at which segments end; those of the environment when it is not said. */
    readonly frozen?: readonly number[]
    /** It is read only, and its segments are fetched from the folder that this is given. */
    readonly bucket?: (files: string) => Promise<BucketHistory>
  } = {},
): Promise<DemoChain> {
  const recording = openRecording(recordingFile(chainId))
  const facts = demoFacts(chainId, recording)
  const state = createStateReader(recording)
  const fill = async (place: StoreLocation): Promise<void> => {
    const store = await openStore(place, facts.key, chainTables, 'write')
    await readInto(store, recording)
    await nameTokens(store, state)
    await countAll(store)
    await store.close()
  }
  let folder: string | undefined
  let { location } = options
  if (location !== undefined) await fill(location)
  else if (options.engine === 'postgres') location = await copyOfDatabase(`demo_${chainId}`, fill)
  else {
    folder = await copyOfMade(`demo-${chainId}`, (dataDir) => fill({ store: 'embedded', dataDir }))
    location = { store: 'embedded', dataDir: folder }
  }
  const heights = options.frozen ?? frozenByEnvironment
  if (heights.length > 0) {
    // Stores of a server lie in no folder; their segments do.
    if (location.store !== 'embedded') folder = mkdtempSync(join(tmpdir(), 'firn-frozen-'))
    location = { ...location, dataDir: folder ?? location.dataDir, freeze: {} }
  }
  let store = await openStore(location, facts.key, chainTables, 'write')
  await freezeAt(store, heights)
  if (options.bucket !== undefined && folder !== undefined) {
    await store.close()
    const bucket = await options.bucket(join(folder, 'segments'))
    const segments = join(folder, 'cache')
    store = await openStore({ ...location, segments, bucket }, facts.key, chainTables, 'read')
  }
  return {
    served: { facts, store, state, wantsTraces: true, isFollowed: () => true },
    close: async () => {
      await store.close()
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Heights of `TEST_FROZEN`, such as `60,100`: any test of the bundled chains runs over segments.
 */
export const frozenByEnvironment = (process.env['TEST_FROZEN'] ?? '')
  .split(',')
  .filter((text) => text !== '')
  .map(Number)

/** A clock of the test's own: it stands still. */
export const stillClock: Clock = manualClock()

function recordingFile(chainId: DemoChainId): Uint8Array {
  const known = recordings.get(chainId)
  if (known !== undefined) return known
  const file = readFileSync(join(import.meta.dirname, `../../../demo/chain-${chainId}.firnrec`))
  recordings.set(chainId, file)
  return file
}

/** Reads all of a recording into a new store. */
export async function readInto(store: Database, recording: Recording): Promise<void> {
  const lease = await takeLease(store, 'test', stillClock)
  if (lease === undefined) throw new Error('the store is new: nobody holds its lease')
  const ingest = new EvmIngest({ database: store, lease, clock: stillClock, openRollup })
  const { signal } = new AbortController()
  const { until } = recording.heights
  for (let from = 0; from < until; from += blocksPerBatch) {
    const range = { from, until: Math.min(from + blocksPerBatch, until) }
    await ingest.blocks(
      await recording.blocks(range, (raw) => decodeBlocks(from, raw, zstdCompressSync), signal),
    )
    await ingest.traces(await recording.traces(range, (raw) => decodeTraces(from, raw), signal))
  }
}

/** Writes what the contracts answered of their names, as the recording has it. */
async function nameTokens(store: Database, state: StateReader): Promise<void> {
  const { signal } = new AbortController()
  const rows = await store.all({
    sqlite: 'select t.id, a.bytes from token t join address a on a.id = t.id',
    postgres: 'select t.id, a.bytes from token t join address a on a.id = t.id',
    isLimited: false,
    bigints: false,
  })
  const ask = (bytes: unknown, selector: string): Promise<Uint8Array | undefined> =>
    bytes instanceof Uint8Array
      ? state.call(bytes, fromHex(selector), undefined, signal)
      : Promise.resolve(undefined)
  const names: (string | null)[] = []
  const symbols: (string | null)[] = []
  const decimals: (number | null)[] = []
  for (const [, bytes] of rows) {
    names.push(textOf(await ask(bytes, '0x06fdde03')))
    symbols.push(textOf(await ask(bytes, '0x95d89b41')))
    const places = await ask(bytes, '0x313ce567')
    decimals.push(places === undefined || places.length < 32 ? null : (places[31] ?? null))
  }
  await store.transaction(async (writer) => {
    const ids = rows.map(([id]) => Number(id))
    await writer.update(token, { id: ids, name: names, symbol: symbols, decimals })
    const named = ids.map((id, at) => ({
      id,
      name: names[at] ?? undefined,
      symbol: symbols[at] ?? undefined,
    }))
    await writer.insertNew(tokenWord, wordColumns(named))
  })
}

/** ABI text, or the bytes32 of the oldest tokens. */
function textOf(answer: Uint8Array | undefined): string | null {
  if (answer === undefined || answer.length < 32) return null
  const decoder = new TextDecoder()
  if (answer.length === 32) return decoder.decode(answer).replace(/\0+$/, '')
  const size = new DataView(answer.buffer, answer.byteOffset).getUint32(60)
  return decoder.decode(answer.subarray(64, 64 + size))
}
