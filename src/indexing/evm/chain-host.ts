/**
 * The writing side of one EVM chain: its store, the lease on it, and the streams beside its
 * blocks.
 *
 * A full disk pauses the chain, it does not stop it: the batch waits here until there is room.
 */

import type { BlockBatch, TraceBatch } from '../../codec/evm/columns.ts'
import { to0x } from '../../core/bytes.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { openRollup } from '../../rollup/chain-rollup.ts'
import type { ChainIdentity, EvmSource, HeightRange } from '../../source/evm-source.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import { type Database, type Reader, type Writer, statement } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/engine/open.ts'
import { awaitLease, holdLease, leaseTtlMs, renewLease, type Lease } from '../../store/lease.ts'
import { storedProofs } from '../../store/query/evm/stored-proofs.ts'
import { type TracedRow, tracedTransactions } from '../../store/query/evm/traced-transactions.ts'
import { meta } from '../../store/schema/control.ts'
import { chainTables } from '../../store/schema/stores.ts'
import type { Log } from '../../telemetry/log.ts'
import type { BlockNews, ChainSpec, ResumePoint, SourceLimits } from '../chain-spec.ts'
import { leaseStream } from '../lease-stream.ts'
import { nftStream, type NftStreamParts } from '../nft/nft-stream.ts'
import { openWishes } from '../nft/open-wishes.ts'
import { writingRhythm } from '../pace-stream.ts'
import type { Stream } from '../stage.ts'
import { blockStage } from './apply-blocks.ts'
import { traceStage } from './apply-traces.ts'
import { EvmIngest } from './evm-ingest.ts'
import { openEvmSource } from './open-source.ts'
import { tokenStream } from './token-stream.ts'

/** What a host needs of its thread. */
export type HostParts = {
  readonly world: World
  readonly log: Log
  readonly store: StoreLocation
  readonly limits: SourceLimits
  readonly owner: string
  readonly signal: AbortSignal
}

/** Writes one EVM chain. Calls may overlap; they are done in order. */
export type ChainHost = {
  /**
   * Where the rows end, once all that was asked before is done. Throws `lease-lost`, `store-failed`.
   */
  readonly resume: () => Promise<ResumePoint>
  /** Commits a batch with its checkpoint. Throws `source-mismatch`, `lease-lost`, `store-failed`. */
  readonly blocks: (batch: BlockBatch, news: BlockNews) => Promise<void>
  readonly traces: (batch: TraceBatch, headHeight: number) => Promise<void>
  /** Traces go on from height `since`; those before it that are not stored cannot be had. */
  readonly skipTraces: (since: number) => Promise<void>
  /** What stored transactions of heights `[from, until)` say that traces repeat. */
  readonly transactions: (range: HeightRange) => Promise<readonly TracedRow[]>
  /**
   * Takes away what is stored from height `from` on, when it was proven to be wrong; gives where the
   * rows end then. Throws `lease-lost`, `store-failed`.
   */
  readonly cut: (from: number) => Promise<ResumePoint>
  /** Work beside the blocks of this chain. */
  readonly streams: readonly Stream[]
  readonly close: () => Promise<void>
}

/** Pause before a store without room is tried again. */
const fullPauseMs = 2_000

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
    const lease = await awaitLease(database, owner, { clock: world.clock, signal })
    await claimStore(database, identity)
    const source = await openEvmSource(spec, parts.limits, parts)
    return hostOver(database, lease, { ...parts, spec, source })
  } catch (error) {
    await database.close()
    throw error
  }
}

function hostOver(
  database: Database,
  lease: Lease,
  parts: HostParts & {
    readonly spec: ChainSpec
    readonly source: EvmSource
  },
): ChainHost {
  const { log, source, spec } = parts
  const { clock } = parts.world
  const ingest = new EvmIngest({ database, lease, clock, openRollup })
  const rhythm = writingRhythm(database, clock)
  let last: Promise<unknown> = Promise.resolve()
  let lastCommitMs = clock.monotonic()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(() => whenThereIsRoom(work, parts))
    last = done.then(
      () => (lastCommitMs = clock.monotonic()),
      () => undefined,
    )
    return done
  }
  const commit = <T>(work: (writer: Writer) => Promise<T>): Promise<T> =>
    inOrder(() =>
      database.transaction(async (writer) => {
        await holdLease(writer, lease, clock)
        return work(writer)
      }),
    )
  const wishes = openWishes(parts.store)
  return {
    // A commit whose answer was lost may still be under way: it holds the lease until it is over.
    resume: () => commit((writer) => resumePoint(writer, spec.startHeight)),
    blocks: (batch, { proofs }) => inOrder(() => rhythm.batch(() => ingest.blocks(batch, proofs))),
    traces: (batch) => inOrder(() => rhythm.batch(() => ingest.traces(batch))),
    skipTraces: (since) => inOrder(() => ingest.skipTraces(since)),
    transactions: (range) => tracedTransactions(database, range),
    cut: async (from) => {
      await inOrder(() => ingest.cut(from))
      return commit((writer) => resumePoint(writer, spec.startHeight))
    },
    streams: [
      rhythm.stream,
      leaseStream(
        {
          renew: async () => {
            if (clock.monotonic() - lastCommitMs >= leaseTtlMs / 4)
              await inOrder(async () => renewLease(database, lease, clock))
          },
        },
        clock,
      ),
      tokenStream({ database, source, clock, log, commit }),
      nftStream({
        database,
        source,
        clock,
        log,
        commit,
        chainKey: spec.key,
        wishes: wishes.get,
        ...fetchingOf(spec, parts.world),
      }),
    ],
    close: async () => {
      await last
      await wishes.close()
      await source.close()
      await database.close()
    },
  }
}

/** How NFT metadata is fetched, where the operator wants it. */
function fetchingOf(
  { nftMetadata }: ChainSpec,
  { publicTransport, transport }: World,
): Pick<NftStreamParts, 'fetching'> {
  if (nftMetadata === undefined || publicTransport === undefined) return {}
  const gateways = { ipfs: nftMetadata.gateways, arweave: nftMetadata.arweave }
  return { fetching: { transport: publicTransport, gatewayTransport: transport, gateways } }
}

/** Does `work`, again and again while the disk is full. */
async function whenThereIsRoom<T>(work: () => Promise<T>, parts: HostParts): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (faultOf(error)?.code !== 'store-full' || parts.signal.aborted) throw error
      parts.log.error('disk full, writing waits', {})
      await parts.world.clock.sleep(fullPauseMs, parts.signal)
    }
  }
}

/** Writes down what chain the store is of, or checks it. */
async function claimStore(database: Database, identity: ChainIdentity): Promise<void> {
  const rows = await database.all(everyMeta)
  const known = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const told = {
    chainId: String(identity.chainId),
    genesisHash: identity.genesisHash,
    ...(identity.blockchainId === undefined ? {} : { blockchainId: identity.blockchainId }),
  }
  for (const [name, value] of Object.entries(told)) {
    const stored = known.get(name)
    if (stored !== undefined && stored !== value)
      throw new Fault('source-mismatch', `store is of another chain: ${name} ${stored}`, {
        detail: { name, stored, told: value },
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

async function resumePoint(reader: Reader, startHeight: number): Promise<ResumePoint> {
  const blocks = await getCheckpoint(reader, blockStage)
  const traces = await getCheckpoint(reader, traceStage)
  return {
    blocksFrom: blocks === undefined ? startHeight : blocks.height + 1,
    tracesFrom: traces === undefined ? startHeight : traces.height + 1,
    ...(blocks?.hash === undefined ? {} : { parentHash: to0x(blocks.hash) }),
    ...(blocks === undefined ? {} : { proofs: await storedProofs(reader) }),
  }
}
