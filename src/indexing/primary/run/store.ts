/**
 * The writing side of one primary network: its store, the lease on it, its genesis, and one batch
 * at a time.
 */

import { readGenesis } from '../../../codec/primary/genesis.ts'
import { equalBytes, fromHex, toHex } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { WorkQueue } from '../../../core/waiting.ts'
import type { Clock, World } from '../../../core/world.ts'
import type { PrimaryIdentity, ValidatorHealth } from '../../../source/primary/primary-source.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import {
  type Database,
  type Reader,
  statement,
  type Writer,
} from '../../../store/engine/database.ts'
import { awaitLease, type Lease, StandingLease, underLease } from '../../../store/lease.ts'
import { allMeta, putMeta } from '../../../store/meta.ts'
import { foreignStore, openStore, type StoreLocation } from '../../../store/open.ts'
import { genesisId, rawBlocksFrom } from '../../../store/query/primary/blocks.ts'
import { primaryStoreTables } from '../../../store/schema/stores.ts'
import { openWatches } from '../../events/open-webhooks.ts'
import type { SharedStore, TakeLease } from '../../stream/chain-shares.ts'
import type { Stream } from '../../stream/stage.ts'
import { writingRhythm } from '../../stream/writing-rhythm.ts'
import { type KeptInMemory, newAssetNumbers } from '../batch/asset-numbers.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import { type RawColumns, rawColumns } from '../batch/raw-blocks.ts'
import type { RowBatch } from '../batch/rows.ts'
import { type PrimaryRules, rulesOf, upgradesOf } from '../batch/rules.ts'
import { beginPChain } from '../replay/p/genesis.ts'
import { beginXChain } from '../replay/x/replay-x.ts'
import { Schedule } from '../schedule/schedule.ts'
import { type Commit, openPrimaryRows, type PrimaryRows } from '../write/batch-rows.ts'
import { type PrimaryOutbox, primaryOutbox } from '../write/primary-outbox.ts'
import { takeBackBatch, takenBackTo } from '../write/undo.ts'
import { loadGenesis } from './load-genesis.ts'

/** How a store is opened. */
export type PrimaryStoreOptions = {
  readonly key: string
  /** `auto` or a path. */
  readonly genesis: string
  /** Genesis itself, where it is at hand. */
  readonly genesisBytes?: Uint8Array | undefined
  readonly store: StoreLocation
  readonly world: World
  readonly owner: string
  /** Milliseconds for which events for webhooks are kept; absent: webhooks are off. */
  readonly keepEventsMs?: number | undefined
  /** Takes the lease of the store; absent: it is taken as soon as it is free. */
  readonly takeLease?: TakeLease | undefined
  readonly signal: AbortSignal
}

/** Rows of a batch are sorted: a replay was as fast with it as with the usual twice as much. */
const writerCacheBytes = 32 * 2 ** 20

/** Calls from replay to the writing side, wherever that runs. They are done in order. */
export type BatchStore = {
  /**
   * Begins a session: batches of those before are refused, as they follow one that was not stored.
   * Waits while another process writes the store. Throws `lease-lost`, `store-failed`.
   */
  readonly begin: () => Promise<number>
  /** Stores a batch. A failure ends the session. */
  readonly commit: (session: number, batch: RowBatch, raw: RawColumns) => Promise<void>
  /** Takes the newest batch of a chain back; returns whether it could. Ends the session. */
  readonly takeBack: (chain: ChainName) => Promise<boolean>
  /** Stores what the node thinks of validators. */
  readonly health: (all: readonly ValidatorHealth[]) => Promise<void>
}

/** Writes one primary network. */
export type PrimaryStore = BatchStore & {
  readonly database: Database
  /** The bytes of its genesis. */
  readonly genesis: Uint8Array
  /**
   * Compares some stored blocks with the schedule of proposers; returns whether there are more. Throws
   * `lease-lost`, `store-failed`.
   */
  readonly judgeMore: () => Promise<boolean>
  /** Frees the memory and disk that filling took, once the store follows its chains. */
  readonly pace: Stream
  /** Says that this process still writes; waits while another does. Throws `lease-lost`. */
  readonly renew: () => Promise<void>
  readonly shared: SharedStore
  /** Waits for the work under way. */
  readonly close: () => Promise<void>
}

/**
 * Opens the store of the network that the node says it is of; the first time it stores genesis.
 * Waits for the lease. Throws `foreign-store` when the store is another network's.
 */
export async function openPrimaryStore(
  options: PrimaryStoreOptions,
  identity: PrimaryIdentity,
): Promise<PrimaryStore> {
  const { world, signal } = options
  const database = await openStore(
    { ...options.store, writerCacheBytes },
    options.key,
    primaryStoreTables,
    'write',
  )
  try {
    const take = (): Promise<Lease> =>
      options.takeLease?.(options.key, database) ??
      awaitLease(database, options.owner, {
        leaseMs: options.store.leaseMs,
        clock: world.clock,
        signal,
      })
    const lease = new StandingLease(await take(), take)
    const known = await storedNetwork(database)
    if (known !== undefined) checkIdentity(known, identity, options)
    const rules = rulesOf(identity.networkId, upgradesOf(identity.upgrades))
    const bytes =
      known?.genesis ??
      options.genesisBytes ??
      (await loadGenesis(options.genesis, identity, world))
    const { clock } = world
    if (known === undefined)
      await lease.during((held) =>
        storeGenesis(database, bytes, identity, commitUnder(database, held, clock)),
      )
    const { keepEventsMs: keepMs } = options
    const watches = keepMs === undefined ? undefined : openWatches(options.store, options.key)
    const outbox =
      watches && keepMs !== undefined ? primaryOutbox({ watches, clock, keepMs }) : undefined
    const closeOutbox = watches?.close
    const schedule = new Schedule({
      rules,
      chainIds: identity.chainIds,
      outbox: outbox?.slots,
    })
    return storeOver(database, {
      genesis: bytes,
      rules,
      schedule,
      lease,
      clock,
      outbox,
      closeOutbox,
    })
  } catch (error) {
    await database.close()
    throw error
  }
}

function commitUnder(database: Database, lease: Lease, clock: Clock): Commit {
  return (work) => underLease(database, { lease, clock }, (writer) => work(writer, lease.epoch))
}

type StoreOf = {
  readonly genesis: Uint8Array
  readonly rules: PrimaryRules
  readonly schedule: Schedule
  readonly lease: StandingLease
  readonly clock: Clock
  readonly outbox: PrimaryOutbox | undefined
  readonly closeOutbox: (() => Promise<void>) | undefined
}

function storeOver(database: Database, of: StoreOf): PrimaryStore {
  const { genesis, rules, schedule, lease, clock, outbox } = of
  const rhythm = writingRhythm(database, clock)
  const memory = memoryOver(() => {
    schedule.forget()
    return openPrimaryRows(rules, outbox?.blocks)
  })
  const queue = new WorkQueue()
  let isClosed = false
  const inOrder = <T>(work: (commit: Commit) => Promise<T>): Promise<T> => {
    // A closed PostgreSQL pool would keep the caller waiting for ever.
    if (isClosed) return Promise.reject(new Fault('store-failed', 'the store is closed'))
    return queue.run(async () => {
      try {
        return await lease.during((held) => work(commitUnder(database, held, clock)))
      } catch (error) {
        if (faultOf(error)?.code === 'lease-lost') memory.forget()
        throw error
      }
    })
  }
  const guarded: Commit = (work) => inOrder((commit) => commit(work))
  return {
    database,
    genesis,
    // A commit whose answer was lost may still be under way: it holds the lease until it is over.
    begin: async () => {
      await lease.regain()
      return guarded(async () => memory.begin())
    },
    commit: (of, batch, raw) =>
      inOrder((commit) =>
        lease.endedByBug(database, () =>
          memory.write(of, batch, (rows) => rhythm.batch(() => rows.write(batch, raw, commit))),
        ),
      ),
    takeBack: (chain) =>
      guarded((writer, epoch) => takeBack(writer, chain, { memory, schedule, epoch })),
    judgeMore: () => schedule.judgeMore(database, guarded),
    health: (all) => guarded((writer) => writeHealth(writer, all)),
    pace: rhythm.stream,
    renew: async () => {
      await lease.regain()
      await guarded(async () => undefined)
    },
    shared: {
      isHeld: () => lease.isHeld,
      load: rhythm.load,
      giveUp: () =>
        inOrder(async () => {
          memory.forget()
          await lease.giveUp(database)
        }),
    },
    close: async () => {
      isClosed = true
      await queue.idle()
      await of.closeOutbox?.()
      await database.close()
    },
  }
}

/** Takes the newest batch of a chain back, and first what followed from it; returns whether it could. */
async function takeBack(
  writer: Writer,
  chain: ChainName,
  {
    memory,
    schedule,
    epoch,
  }: { readonly memory: Memory; readonly schedule: Schedule; readonly epoch: number },
): Promise<boolean> {
  memory.forget()
  const height = await takenBackTo(writer, chain)
  if (height === undefined) return false
  await schedule.takeBack(writer, epoch, { chain, height })
  return takeBackBatch(writer, chain, epoch)
}

type Memory = {
  /** Begins a session, and returns its number. */
  readonly begin: () => number
  /** Ends the session: rows in memory were not stored, or another process wrote since. */
  readonly forget: () => void
  /** Writes a batch of session `of`. A failure ends the session. */
  readonly write: (
    of: number,
    batch: RowBatch,
    work: (rows: PrimaryRows) => Promise<void>,
  ) => Promise<void>
}

function memoryOver(open: () => PrimaryRows): Memory {
  let rows = open()
  let session = 0
  const forget = (): void => {
    rows = open()
    session++
  }
  return {
    begin: () => ++session,
    forget,
    write: async (of, { chain }, work) => {
      if (of !== session)
        throw new Fault('store-failed', `${chain}-Chain: what it follows was not stored`)
      try {
        await work(rows)
      } catch (error) {
        // Numbers given in a failed transaction do not exist.
        forget()
        throw error
      }
    },
  }
}

type StoredNetwork = {
  readonly networkId: number
  readonly genesisId: Uint8Array
  readonly genesis: Uint8Array
}

async function storedNetwork(reader: Reader): Promise<StoredNetwork | undefined> {
  const facts = await allMeta(reader)
  const id = facts.get('genesisId')
  if (id === undefined) return undefined
  const [genesis] = await rawBlocksFrom(reader, genesisId, 1)
  if (genesis?.id !== genesisId) throw new Fault('store-failed', 'the store has lost its genesis')
  return {
    networkId: Number(facts.get('networkId')),
    genesisId: fromHex(id),
    genesis: genesis.bytes,
  }
}

function checkIdentity(
  known: StoredNetwork,
  { networkId, genesisId }: PrimaryIdentity,
  { store, key }: PrimaryStoreOptions,
): void {
  if (known.networkId === networkId && equalBytes(known.genesisId, genesisId)) return
  throw foreignStore(store, key, {
    holds: `network ${known.networkId} with genesis ${toCb58(known.genesisId)}`,
    source: `network ${networkId} with genesis ${toCb58(genesisId)}`,
  })
}

async function storeGenesis(
  database: Database,
  bytes: Uint8Array,
  identity: PrimaryIdentity,
  commit: Commit,
): Promise<void> {
  const facts = readGenesis(bytes)
  const rules = rulesOf(identity.networkId, upgradesOf(identity.upgrades))
  const rows = openPrimaryRows(rules)
  // Genesis is read back at once; nothing needs to stay in memory. AVAX is the first asset.
  const kept = (): KeptInMemory => {
    const assets = newAssetNumbers([])
    assets.of(facts.avaxAssetId)
    return { utxoLimit: 0, assets }
  }
  const p = beginPChain(facts, rules, kept()).batch
  const x = beginXChain(facts, kept()).batch
  // A process may have ended between the two.
  if ((await getCheckpoint(database, 'P')) === undefined) {
    await rows.write(p, rawColumns([{ id: genesisId, bytes }]), commit)
  }
  // A store without these begins again.
  const known = {
    networkId: String(identity.networkId),
    genesisId: toHex(identity.genesisId),
    xChainId: toHex(facts.xChainId),
    cChainId: toHex(facts.cChainId),
    avaxAssetId: toHex(facts.avaxAssetId),
    genesisTime: String(facts.genesis.time),
    upgrades: JSON.stringify(identity.upgrades),
    nodeVersion: identity.nodeVersion,
  }
  await rows.write(x, rawColumns([]), (work) =>
    commit(async (writer, epoch) => {
      await putMeta(writer, known)
      return work(writer, epoch)
    }),
  )
}

const question = statement(
  'update staker set uptime = ?, connected = ? where tx_id = ? and (uptime <> ? or connected <> ?)',
  { unsummed: true },
)

/** Columns keep ten-thousandths of a percent, the digits nodes give. */
const perPercent = 10_000

/** Stores what changed. */
async function writeHealth(writer: Writer, all: readonly ValidatorHealth[]): Promise<void> {
  for (const { txId, uptimePercent, connected } of all) {
    const uptime = uptimePercent === undefined ? -1 : Math.round(uptimePercent * perPercent)
    const linked = connected === undefined ? -1 : connected ? 1 : 0
    await writer.run(question, [uptime, linked, txId, uptime, linked])
  }
}
