/**
 * The writing side of one EVM chain: its store, the lease on it, and the streams beside its
 * blocks.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { fromHex } from '../../../core/bytes.ts'
import type { World } from '../../../core/world.ts'
import { ActivityNotes } from '../../../rollup/activity-notes.ts'
import type { ChainIdentity, EvmSource, HeightRange } from '../../../source/evm-source.ts'
import { copiedHistory, type CopiedHistory } from '../../../store/copied-history.ts'
import type { Database } from '../../../store/engine/database.ts'
import type { MergeFiles } from '../../../store/history/merge-files.ts'
import { awaitLease, type Lease, StandingLease } from '../../../store/lease.ts'
import { allMeta, putMeta } from '../../../store/meta.ts'
import { foreignStore, openSmallStore, openStore, type StoreLocation } from '../../../store/open.ts'
import { storeCurrentAt } from '../../../store/query/evm/heights.ts'
import { type TracedRow, tracedTransactions } from '../../../store/query/evm/transactions.ts'
import { logStoreOf, logStoreTables } from '../../../store/schema/logs.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import type { Log } from '../../../telemetry/log.ts'
import { evmOutbox } from '../../events/evm-outbox.ts'
import { openWatches } from '../../events/open-webhooks.ts'
import { type NftFetching, nftStream, openRequests } from '../../nft/nft-stream.ts'
import type { SharedStore, TakeLease } from '../../stream/chain-shares.ts'
import type { BlockReport, ChainSpec, ResumePoint, SourceLimits } from '../../stream/chain-spec.ts'
import { checkStream } from '../../stream/check-stream.ts'
import type { OpenChain, WatchedChain } from '../../stream/open-chain.ts'
import type { Stream } from '../../stream/stage.ts'
import { leaseStream, writingRhythm } from '../../stream/writing-rhythm.ts'
import { checkNotRefused, CopiedHistoryCheck, onlySegments } from '../copied/check-copied.ts'
import { firstForeignHeight, hasStoredEnd } from '../cut/follow-node.ts'
import { defaultRows } from '../freeze/due-segments.ts'
import type { FreezingAtOnce } from '../freeze/freeze-at-once.ts'
import { Freezer, freezeStream } from '../freeze/freeze-stream.ts'
import { keepFreezeFrom } from '../freeze/logs-freeze-from.ts'
import { mergeStream, roomForSegments } from '../freeze/merge-stream.ts'
import { keepPlaceName } from '../freeze/place-name.ts'
import { logStream } from '../logs/log-stream.ts'
import { checksOfEvery } from '../read/block-checks.ts'
import { openEvmSource } from '../read/open-source.ts'
import { blockchainIdStream } from '../tokens/blockchain-id-stream.ts'
import { UnexplainedLogs } from '../tokens/token-activity.ts'
import { tokenStream } from '../tokens/token-stream.ts'
import { activityStream } from './activity-stream.ts'
import { besideLogs } from './beside-logs.ts'
import { goodBatchRows } from './evm-ingest.ts'
import { StandingIngest } from './standing-ingest.ts'

/** Parts that all hosts of the writer's thread share. */
type ChainHostOptions = {
  readonly world: World
  readonly log: Log
  readonly store: StoreLocation
  readonly limits: SourceLimits
  readonly owner: string
  /** Milliseconds for which events for webhooks are kept; absent: webhooks are off. */
  readonly keepEventsMs?: number | undefined
  /** Writes merged segments beside this thread; absent: it does so itself. */
  readonly merge?: MergeFiles | undefined
  /** Takes the lease of a store; absent: it is taken as soon as it is free. */
  readonly takeLease?: TakeLease | undefined
  readonly signal: AbortSignal
}

/** Writes one EVM chain. Calls may overlap; they are done in order. */
export type ChainHost = {
  /**
   * Where the rows end, once all that was handed in before is done; waits while another process
   * writes the store. Needed anew after every `lease-lost`. Throws `lease-lost`, `store-failed`.
   */
  readonly resume: (identity: ChainIdentity) => Promise<ResumePoint>
  /**
   * Returns whether the node still has the block where the rows end. Where it has not, and the chain is one of
   * development, `resume` removes what the node does not have. Faults are those of the source.
   */
  readonly isOfNode: () => Promise<boolean>
  /**
   * Commits a batch with its checkpoint. Throws `source-mismatch`, `lease-lost`, `store-failed`.
   */
  readonly blocks: (batch: BlockBatch, report: BlockReport) => Promise<void>
  readonly traces: (batch: TraceBatch, headHeight: number) => Promise<void>
  /** Traces go on from height `since`; those before it that are not stored cannot be had. */
  readonly skipTraces: (since: number) => Promise<void>
  /** Keeps when the node said that the stored height is its head, Unix seconds. */
  readonly current: (at: number) => Promise<void>
  /** Fields of stored transactions of heights `[from, until)` that traces repeat. */
  readonly transactions: (range: HeightRange) => Promise<readonly TracedRow[]>
  /**
   * Removes what is stored from height `from` on, when it was proven to be wrong. Returns where the
   * rows end then. Throws `lease-lost`, `store-failed`.
   */
  readonly cut: (from: number) => Promise<ResumePoint>
  /** Work beside the blocks of this chain. */
  readonly streams: readonly Stream[]
  readonly shared: SharedStore
  readonly close: () => Promise<void>
}

/**
 * Opens the store of `spec` for writing. The order matters:
 *
 * 1. Lease: waits while another process writes the store.
 * 2. Identity: a store of another chain is refused before anything is written.
 * 3. Copied history: one that was refused stays refused, and what no segment holds goes before it is extended.
 * 4. The node, which nothing needs before.
 * 5. The host: writer of blocks and traces, and the streams beside it.
 */
export async function openChainHost(
  spec: ChainSpec,
  identity: ChainIdentity,
  options: ChainHostOptions,
): Promise<ChainHost> {
  const { world, log, store, limits, owner, takeLease, signal } = options
  const { clock } = world
  const database = await openStore(store, spec.key, chainTables, 'write')
  try {
    const take = (): Promise<Lease> =>
      takeLease?.(spec.key, database) ??
      awaitLease(database, owner, { leaseMs: store.leaseMs, clock, signal })
    const lease = await take()
    await claimStore(database, identity, store, spec)
    await keepPlaceName(database, lease, { store, clock })
    let copied = await copiedHistory(database)
    checkNotRefused(copied)
    if (copied !== undefined && (spec.checkCopied ?? 0) > 0)
      copied = await onlySegments(database, copied, { lease, clock })
    const source = await openEvmSource(spec, limits, { world, log })
    const standing = new StandingLease(lease, take)
    return hostOver(spec, { database, standing, source, copied }, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A store that this process may write, and the node that it is filled from. */
type Opened = {
  readonly database: Database
  readonly standing: StandingLease
  readonly source: EvmSource
  readonly copied: CopiedHistory | undefined
}

function hostOver(
  spec: ChainSpec,
  { database, standing, source, copied }: Opened,
  options: ChainHostOptions,
): ChainHost {
  const { log, store, signal } = options
  const { clock } = options.world
  const watches = openWatches(store, spec.key)
  const nodeStreams = streamsOfNode(spec, options)
  const rhythm = writingRhythm(database, clock)
  const keepMs = options.keepEventsMs
  const outbox = keepMs === undefined ? undefined : evmOutbox({ watches, clock, keepMs })
  const freezing = freezingAtOnce(database, store.freeze)
  const writing = { ...options, outbox, freezing, activity: new ActivityNotes() }
  const ingest = new StandingIngest({ ...writing, database, standing, spec })
  const { commit, changes } = ingest
  const chain: WatchedChain = { key: spec.key, database, source, clock, log, commit, changes }
  const freezer = store.freeze && new Freezer(chain, store.freeze)
  const check = copiedCheckOf(chain, spec, copied, options)
  return {
    ...beginningOf(spec, { database, source, ingest }, options),
    blocks: async (batch, report) => {
      await roomForSegments(chain, signal)
      const altered = await ingest.write((into) => {
        check?.checkUsable()
        return rhythm.batch(() => into.blocks(batch, report))
      })
      if (altered !== undefined) freezer?.holdUp(altered)
      nodeStreams.unexplained.note(batch, report.headHeight)
    },
    traces: (batch) => ingest.write((into) => rhythm.batch(() => into.traces(batch))),
    skipTraces: (since) => ingest.write((into) => into.skipTraces(since)),
    current: (at) => ingest.commit((writer) => storeCurrentAt(writer, at)),
    transactions: (range) => tracedTransactions(database, range),
    cut: async (from) => {
      await ingest.write((into) => into.cut(from))
      return ingest.resume()
    },
    streams: [
      rhythm.stream,
      leaseStream(ingest, clock),
      ...(check === undefined ? [] : [check.stream]),
      ...(spec.keepsLogs === true ? [logsOf(chain, options)] : []),
      ...(freezer === undefined
        ? []
        : [freezeStream(freezer, clock), mergeStream(chain, options.merge)]),
      activityStream(chain, writing.activity),
      checkStream({ ...chain, tables: chainTables }),
      ...nodeStreams.over(chain),
    ],
    shared: { isHeld: ingest.isHeld, giveUp: ingest.giveUp, load: rhythm.load },
    close: async () => {
      await ingest.settled()
      await nodeStreams.close()
      await watches.close()
      await database.close()
    },
  }
}

/** Resumes where the rows end; of a chain of development once what its node does not have is removed. */
function beginningOf(
  spec: ChainSpec,
  of: Pick<Opened, 'database' | 'source'> & { readonly ingest: StandingIngest },
  { store, log, signal }: ChainHostOptions,
): Pick<ChainHost, 'resume' | 'isOfNode'> {
  const { database, source, ingest } = of
  const followed = { database, source, signal }
  return {
    resume: async (identity) => {
      const point = await ingest.resume()
      if (spec.beginsAnew !== true) return point
      await claimStore(database, identity, store, spec)
      const from = await firstForeignHeight(followed)
      if (from === undefined) return point
      log.warn('the node has other blocks: those stored are removed', { from })
      await ingest.write((into) => into.cut(from))
      return ingest.resume()
    },
    isOfNode: () => hasStoredEnd(followed),
  }
}

/** Streams that read from the node what blocks do not say. */
function streamsOfNode(
  spec: ChainSpec,
  { world, store }: ChainHostOptions,
): {
  readonly unexplained: UnexplainedLogs
  readonly over: (chain: WatchedChain) => Stream[]
  readonly close: () => Promise<void>
} {
  const requests = openRequests(store)
  const unexplained = new UnexplainedLogs()
  return {
    unexplained,
    over: (chain) => [
      ...(spec.blockchainId === undefined ? [blockchainIdStream(chain)] : []),
      tokenStream(chain, {
        random: world.random,
        requests: requests.get,
        wrapped: spec.wrappedTokens.map(fromHex),
        unexplained,
      }),
      nftStream(chain, requests.get, fetchingOf(spec, world)),
    ],
    close: requests.close,
  }
}

/** The check of a history that came from a snapshot. */
function copiedCheckOf(
  chain: OpenChain,
  spec: ChainSpec,
  copied: CopiedHistory | undefined,
  { world, store }: ChainHostOptions,
): CopiedHistoryCheck | undefined {
  if (copied === undefined || spec.checkCopied === undefined) return undefined
  const { dataDir } = store
  const { checkCopied: percent, startHeight } = spec
  return new CopiedHistoryCheck(
    {
      ...chain,
      checks: checksOfEvery(chain.source, chain.log),
      world,
      percent,
      startHeight,
      dataDir,
    },
    copied,
  )
}

function freezingAtOnce(
  database: Database,
  freeze: StoreLocation['freeze'],
): FreezingAtOnce | undefined {
  const history = database.history
  if (freeze === undefined || history === undefined) return undefined
  const leastRows = freeze.rowsAtOnce ?? goodBatchRows / 2
  const mostRowsBefore = freeze.rowsPerSegment ?? defaultRows
  return {
    history,
    leastRows,
    mostRowsBefore,
    rowsInTables: freeze.rowsInTables ?? mostRowsBefore,
  }
}

/** The stage of the chain's logs. */
function logsOf(chain: OpenChain, { store, owner, merge, signal }: ChainHostOptions): Stream {
  return logStream(chain, checksOfEvery(chain.source, chain.log), async () => {
    const logs = await openSmallStore(store, logStoreOf(chain.key), logStoreTables)
    try {
      const { leaseMs, freeze } = store
      const lease = await awaitLease(logs, owner, { leaseMs, clock: chain.clock, signal })
      await keepFreezeFrom(logs, lease, chain.clock)
      await keepPlaceName(logs, lease, { store, clock: chain.clock })
      const opened = { store: logs, lease }
      return { ...opened, beside: besideLogs(chain, opened, { freeze, merge }) }
    } catch (error) {
      await logs.close()
      throw error
    }
  })
}

/** Fetching of NFT metadata, where the operator wants it. */
function fetchingOf(
  { nftMetadata }: ChainSpec,
  { publicTransport, transport }: World,
): NftFetching | undefined {
  if (nftMetadata === undefined || publicTransport === undefined) return undefined
  const gateways = { ipfs: nftMetadata.gateways, arweave: nftMetadata.arweave }
  return { transport: publicTransport, gatewayTransport: transport, gateways }
}

/** Stores which chain the store is of, or checks it. Throws `foreign-store`. */
async function claimStore(
  database: Database,
  identity: ChainIdentity,
  store: StoreLocation,
  { key, beginsAnew = false }: ChainSpec,
): Promise<void> {
  const known = await allMeta(database)
  const own = {
    chainId: String(identity.chainId),
    genesisHash: identity.genesisHash,
    ...(identity.blockchainId && { blockchainId: identity.blockchainId }),
  }
  for (const [name, value] of Object.entries(own)) {
    const stored = known.get(name)
    if (stored !== undefined && stored !== value && !(beginsAnew && name !== 'chainId'))
      throw foreignStore(store, key, {
        holds: `a chain with ${name} ${stored}`,
        source: `one with ${name} ${value}${name === 'chainId' ? '' : ' (begin: anew follows a chain of development)'}`,
      })
  }
  const fresh = Object.entries(own).filter(([name, value]) => known.get(name) !== value)
  if (fresh.length > 0)
    await database.transaction((writer) => putMeta(writer, Object.fromEntries(fresh)))
}
