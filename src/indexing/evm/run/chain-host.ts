/**
 * The writing side of one EVM chain: its store, the lease on it, and the streams beside its
 * blocks.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { World } from '../../../core/world.ts'
import type { ChainIdentity, EvmSource, HeightRange } from '../../../source/evm-source.ts'
import { copiedHistory, type CopiedHistory } from '../../../store/copied-history.ts'
import { type Database, statement } from '../../../store/engine/database.ts'
import { foreignStore } from '../../../store/foreign-store.ts'
import { historyOf, removeLeftovers } from '../../../store/history/history.ts'
import type { MergeFiles } from '../../../store/history/merge-files.ts'
import { awaitLease, holdLease, type Lease, StandingLease } from '../../../store/lease.ts'
import {
  openSmallStore,
  openStore,
  segmentFolder,
  type StoreLocation,
} from '../../../store/open.ts'
import { storeCurrentAt } from '../../../store/query/evm/heights.ts'
import { type TracedRow, tracedTransactions } from '../../../store/query/evm/transactions.ts'
import { meta } from '../../../store/schema/control.ts'
import { logStoreOf, logStoreTables } from '../../../store/schema/logs.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import type { Log } from '../../../telemetry/log.ts'
import { evmOutbox } from '../../events/evm-outbox.ts'
import { openWatches, type Watches } from '../../events/open-webhooks.ts'
import { nftStream, type NftStreamParts, openRequests } from '../../nft/nft-stream.ts'
import type { SharedStore, TakeLease } from '../../stream/chain-shares.ts'
import type { BlockNews, ChainSpec, ResumePoint, SourceLimits } from '../../stream/chain-spec.ts'
import { checkStream, leaseStream, writingRhythm } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'
import {
  checkNotRefused,
  type CopiedChain,
  CopiedHistoryCheck,
  onlySegments,
} from '../copied/check-copied.ts'
import { defaultRows } from '../freeze/due-segments.ts'
import type { FreezingAtOnce } from '../freeze/freeze-at-once.ts'
import { Freezer, type FreezeParts, freezeStream } from '../freeze/freeze-stream.ts'
import { mergeStream, type MergeParts, roomForSegments } from '../freeze/merge-stream.ts'
import { logStream } from '../logs/log-stream.ts'
import { BlockChecks } from '../read/block-checks.ts'
import { openEvmSource } from '../read/open-source.ts'
import { blockchainIdStream } from '../tokens/blockchain-id-stream.ts'
import { UnexplainedLogs } from '../tokens/token-news.ts'
import { tokenStream, type TokenStreamParts } from '../tokens/token-stream.ts'
import { goodBatchRows } from './evm-ingest.ts'
import { StandingIngest } from './standing-ingest.ts'

/** Parts of the thread that a host uses. */
export type HostParts = {
  readonly world: World
  readonly log: Log
  readonly store: StoreLocation
  readonly limits: SourceLimits
  readonly owner: string
  /** Milliseconds for which events for webhooks are kept; absent: webhooks are off. */
  readonly keepEventsMs?: number | undefined
  /** Writes merged segments beside this thread; absent: it does so itself. */
  readonly merge?: MergeFiles | undefined
  /** Takes the lease of a store; absent: it is taken as soon as nobody has it. */
  readonly takeLease?: TakeLease | undefined
  readonly signal: AbortSignal
}

/** Writes one EVM chain. Calls may overlap; they are done in order. */
export type ChainHost = {
  /**
   * Where the rows end, once all that was asked before is done; waits while another process writes
   * the store. Needed anew after every `lease-lost`. Throws `lease-lost`, `store-failed`.
   */
  readonly resume: () => Promise<ResumePoint>
  /**
   * Commits a batch with its checkpoint. Throws `source-mismatch`, `lease-lost`, `store-failed`.
   */
  readonly blocks: (batch: BlockBatch, news: BlockNews) => Promise<void>
  readonly traces: (batch: TraceBatch, headHeight: number) => Promise<void>
  /** Traces go on from height `since`; those before it that are not stored cannot be had. */
  readonly skipTraces: (since: number) => Promise<void>
  /** Keeps when the node said that the stored height is its head, Unix seconds. */
  readonly current: (at: number) => Promise<void>
  /** Fields of stored transactions of heights `[from, until)` that traces repeat. */
  readonly transactions: (range: HeightRange) => Promise<readonly TracedRow[]>
  /**
   * Takes away what is stored from height `from` on, when it was proven to be wrong. Returns where
   * the rows end then. Throws `lease-lost`, `store-failed`.
   */
  readonly cut: (from: number) => Promise<ResumePoint>
  /** Work beside the blocks of this chain. */
  readonly streams: readonly Stream[]
  readonly shared: SharedStore
  readonly close: () => Promise<void>
}

const everyMeta = statement('select name, value from meta')

/** Opens the store of `spec` for writing; waits while another process writes it. */
export async function openChainHost(
  spec: ChainSpec,
  identity: ChainIdentity,
  parts: HostParts,
): Promise<ChainHost> {
  const { world, owner, signal } = parts
  const database = await openStore(parts.store, spec.key, chainTables, 'write')
  try {
    const take = (): Promise<Lease> =>
      parts.takeLease?.(spec.key, database) ??
      awaitLease(database, owner, { ...parts.store, clock: world.clock, signal })
    const taken = await take()
    const lease = new StandingLease(taken, take)
    await claimStore(database, identity, { store: parts.store, key: spec.key })
    if (parts.store.freeze === undefined) {
      const folder = segmentFolder(parts.store, spec.key)
      await database.transaction(async (writer) => {
        await holdLease(writer, taken, world.clock)
        await removeLeftovers(writer, folder)
      })
    }
    let copied = await copiedHistory(database)
    checkNotRefused(copied)
    if (copied !== undefined && (spec.checkCopied ?? 0) > 0)
      copied = await onlySegments(database, copied, { lease: taken, clock: world.clock })
    const source = await openEvmSource(spec, parts.limits, parts)
    return hostOver(database, lease, { ...parts, spec, source, copied })
  } catch (error) {
    await database.close()
    throw error
  }
}

function hostOver(
  database: Database,
  standing: StandingLease,
  parts: HostParts & {
    readonly spec: ChainSpec
    readonly source: EvmSource
    readonly copied: CopiedHistory | undefined
  },
): ChainHost {
  const { log, source, spec } = parts
  const { clock } = parts.world
  const watches = openWatches(parts.store, spec.key)
  const rhythm = writingRhythm(database, clock)
  const { ingest, freezer } = writingTo(database, standing, { ...parts, watches })
  const { commit } = ingest
  const requests = openRequests(parts.store)
  const unexplained = new UnexplainedLogs()
  const check = copiedCheckOf({ database, source, log, commit }, parts)
  return {
    resume: ingest.resume,
    blocks: async (batch, news) => {
      await roomForSegments({ database, spec, clock, log }, parts.signal)
      await ingest.write((into) => {
        check?.checkUsable()
        return rhythm.batch(() => into.blocks(batch, news))
      })
      unexplained.note(batch, news.headHeight)
    },
    traces: (batch) => ingest.write((into) => rhythm.batch(() => into.traces(batch))),
    skipTraces: (since) => ingest.write((into) => into.skipTraces(since)),
    current: (at) => commit((writer) => storeCurrentAt(writer, at)),
    transactions: (range) => tracedTransactions(database, range),
    cut: async (from) => {
      await ingest.write((into) => into.cut(from))
      return ingest.resume()
    },
    streams: [
      rhythm.stream,
      leaseStream(ingest, clock),
      ...(check === undefined ? [] : [check.stream]),
      ...(spec.keepsLogs === true ? [logsOf({ ...parts, database })] : []),
      ...segmentStreams({ ...parts, database, clock, commit }, freezer),
      checkStream({ database, tables: chainTables, key: spec.key, clock, log }),
      ...askingStreams({ ...parts, database, clock, commit, unexplained }, requests.get),
    ],
    shared: ingest,
    close: async () => {
      await ingest.settled()
      await requests.close()
      await watches.close()
      await source.close()
      await database.close()
    },
  }
}

/** The writer of batches, and the freezer of what they leave in tables. */
function writingTo(
  database: Database,
  standing: StandingLease,
  parts: HostParts & { readonly spec: ChainSpec; readonly watches: Watches },
): { readonly ingest: StandingIngest; readonly freezer: Freezer | undefined } {
  const {
    watches,
    world: { clock },
    store: { freeze },
  } = parts
  const more = { ...outboxOf(watches, parts), ...freezingAtOnce(database, parts) }
  const altered = (fault: Fault): void => freezer?.holdUp(fault)
  const ingest = new StandingIngest({ ...parts, database, standing, altered, ...more })
  const { commit } = ingest
  const freezer = freeze && new Freezer({ ...parts, database, clock, commit, freeze })
  return { ingest, freezer }
}

/** The check of a history that came from a snapshot. */
function copiedCheckOf(
  common: Pick<CopiedChain, 'database' | 'source' | 'commit' | 'log'>,
  { copied, spec, world, store: { dataDir } }: CopiedParts,
): CopiedHistoryCheck | undefined {
  if (copied === undefined || spec.checkCopied === undefined) return undefined
  const { source, log } = common
  const { startHeight } = spec
  const endpoints = (): ReturnType<EvmSource['endpoints']> => source.endpoints()
  const checks = new BlockChecks({ log, endpoints, checkEvery: 1 })
  return new CopiedHistoryCheck(
    { ...common, checks, world, dataDir, percent: spec.checkCopied, startHeight },
    copied,
  )
}

type CopiedParts = Pick<HostParts, 'world' | 'store'> & {
  readonly spec: ChainSpec
  readonly copied: CopiedHistory | undefined
}

function outboxOf(
  watches: Watches,
  { keepEventsMs: keepMs, world: { clock } }: HostParts,
): { readonly outbox?: ReturnType<typeof evmOutbox> } {
  return keepMs === undefined ? {} : { outbox: evmOutbox({ watches, clock, keepMs }) }
}

function freezingAtOnce(
  database: Database,
  { store: { freeze } }: HostParts,
): { readonly freezing?: FreezingAtOnce } {
  const history = historyOf(database)
  if (freeze === undefined || history === undefined) return {}
  const leastRows = freeze.rowsAtOnce ?? goodBatchRows / 2
  const mostRowsBefore = freeze.rowsPerSegment ?? defaultRows
  const rowsInTables = freeze.rowsInTables ?? mostRowsBefore
  return { freezing: { history, leastRows, mostRowsBefore, rowsInTables } }
}

/** Streams that ask the node of what blocks do not say. */
function askingStreams(
  parts: HostParts &
    Pick<NftStreamParts, 'database' | 'source' | 'clock'> &
    Pick<FreezeParts, 'commit'> &
    Pick<TokenStreamParts, 'unexplained'> & { readonly spec: ChainSpec },
  requests: NftStreamParts['requests'],
): Stream[] {
  const { spec, world } = parts
  return [
    ...(spec.blockchainId === undefined ? [blockchainIdStream(parts)] : []),
    tokenStream({
      ...parts,
      random: world.random,
      chainKey: spec.key,
      requests,
      wrapped: spec.wrappedTokens.map(fromHex),
    }),
    nftStream({ ...parts, chainKey: spec.key, requests, ...fetchingOf(spec, world) }),
  ]
}

/** History becomes segments, and segments become fewer, where the deployment freezes it. */
function segmentStreams(
  parts: MergeParts & Pick<HostParts, 'store'>,
  freezer: Freezer | undefined,
): Stream[] {
  return freezer === undefined ? [] : [freezeStream(freezer, parts.clock), mergeStream(parts)]
}

/** The stage of the chain's logs. */
function logsOf(
  parts: HostParts & {
    readonly database: Database
    readonly spec: ChainSpec
    readonly source: EvmSource
  },
): Stream {
  const { source, spec, world, owner, signal, log } = parts
  const { clock } = world
  const endpoints = (): ReturnType<EvmSource['endpoints']> => source.endpoints()
  return logStream({
    ...parts,
    clock,
    checks: new BlockChecks({ log, endpoints, checkEvery: 1 }),
    openLogs: async () => {
      const store = await openSmallStore(parts.store, logStoreOf(spec.key), logStoreTables)
      try {
        return { store, lease: await awaitLease(store, owner, { ...parts.store, clock, signal }) }
      } catch (error) {
        await store.close()
        throw error
      }
    },
  })
}

/** Fetching of NFT metadata, where the operator wants it. */
function fetchingOf(
  { nftMetadata }: ChainSpec,
  { publicTransport, transport }: World,
): Pick<NftStreamParts, 'fetching'> {
  if (nftMetadata === undefined || publicTransport === undefined) return {}
  const gateways = { ipfs: nftMetadata.gateways, arweave: nftMetadata.arweave }
  return { fetching: { transport: publicTransport, gatewayTransport: transport, gateways } }
}

/** Writes down what chain the store is of, or checks it. Throws `foreign-store`. */
async function claimStore(
  database: Database,
  identity: ChainIdentity,
  { store, key }: { readonly store: StoreLocation; readonly key: string },
): Promise<void> {
  const rows = await database.all(everyMeta)
  const known = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const told = {
    chainId: String(identity.chainId),
    genesisHash: identity.genesisHash,
    ...(identity.blockchainId && { blockchainId: identity.blockchainId }),
  }
  for (const [name, value] of Object.entries(told)) {
    const stored = known.get(name)
    if (stored !== undefined && stored !== value)
      throw foreignStore(store, key, {
        holds: `a chain with ${name} ${stored}`,
        source: `one with ${name} ${value}`,
      })
  }
  const fresh = Object.entries(told).filter(([name]) => !known.has(name))
  if (fresh.length === 0) return
  await database.transaction((writer) =>
    writer.upsert(meta, {
      name: fresh.map(([name]) => name),
      value: fresh.map(([, value]) => value),
    }),
  )
}
