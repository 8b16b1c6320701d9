/**
 * The replaying side of one primary network: its three chains over what is stored, a little ahead
 * of the store.
 *
 * The chains share what moves between them, so looking up and replaying a batch is one piece of
 * work that no other chain interrupts, and batches are stored in the order they were replayed.
 */

import { readGenesis, type GenesisFacts } from '../../../codec/primary/genesis.ts'
import { equalBytes, toBigint } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { WorkQueue } from '../../../core/waiting.ts'
import type {
  PrimaryIdentity,
  PrimarySource,
  ValidatorHealth,
} from '../../../source/primary/primary-source.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import { type Reader, statement } from '../../../store/engine/database.ts'
import { progressBody } from '../../../store/schema/primary/bodies.ts'
import { type AssetNumbers, newAssetNumbers } from '../batch/asset-numbers.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { RowBatch, Checkpoint } from '../batch/rows.ts'
import { type PrimaryRules, rulesOf, upgradesOf } from '../batch/rules.ts'
import type { PStateRows, StoredState } from '../batch/stored-state.ts'
import {
  type ChainReplay,
  type Fetched,
  openReplay,
  usualUtxoLimit,
} from '../replay/chain-replay.ts'
import { mostAhead } from '../replay/draft.ts'
import { findAfter, type SharedChanges } from '../replay/shared-changes.ts'
import { allSubnets, liveL1Validators, openStakers } from '../write/read-rows.ts'
import { findRows } from '../write/utxos.ts'
import {
  type BatchStore,
  openPrimaryStore,
  type PrimaryStore,
  type PrimaryStoreOptions,
} from './store.ts'

/** All that a host works with. */
export type PrimaryHostOptions = {
  readonly source: PrimarySource
  readonly identity: PrimaryIdentity
  readonly genesis: Uint8Array
  /** The store, for reading. */
  readonly reader: Reader
  /** The store, for writing. */
  readonly store: BatchStore
  /** UTXOs a chain keeps; {@link usualUtxoLimit} when it is not said. */
  readonly utxoLimit?: number
}

/** Replays one primary network. */
export type PrimaryHost = {
  readonly facts: GenesisFacts
  readonly rules: PrimaryRules
  /** A chain's replay where its rows end; needed anew after every fault of `commit`. */
  readonly replay: (chain: ChainName) => Promise<ChainReplay>
  /**
   * Replays what was fetched and hands it to the store, which may still be writing it afterwards: a
   * failure is thrown by the next call, of whichever chain. A failure that is not the store's stops
   * only the chain of that batch; the others may try again.
   */
  readonly commit: (
    replay: ChainReplay,
    fetched: readonly Fetched<unknown>[],
    signal: AbortSignal,
  ) => Promise<void>
  /**
   * Takes the newest batch of a chain back where its last block is at `height` and has another id
   * than `accepted`. Returns whether it did.
   */
  readonly takeBack: (chain: ChainName, height: number, accepted: Uint8Array) => Promise<boolean>
  /** Waits until all that was handed over is stored; `chain` is who waits. */
  readonly settled: (chain?: ChainName) => Promise<void>
  /** Last height of a chain that is stored, -1 before its first block or its first replay. */
  readonly storedHeight: (chain: ChainName) => number
  readonly health: (all: readonly ValidatorHealth[]) => Promise<void>
}

type Ahead = { readonly shared: SharedChanges; readonly stored: Promise<void> }

/** Assets have numbers that are stored, or will be with a batch of the session. */
type Session = { readonly number: number; readonly assets: AssetNumbers }

/** The batch that ended a session: whose it was, and why. */
type Lost = { readonly chain: ChainName; readonly error: unknown }

/** Where a host stands between two calls. */
type Standing = {
  session: Session | undefined
  /** Batches handed over, oldest first: those that may not be stored yet are the last of them. */
  ahead: Ahead[]
  lost: Lost | undefined
  readonly heights: Map<ChainName, number>
}

/** A host over a store that is open. */
export function primaryHost(options: PrimaryHostOptions): PrimaryHost {
  const { source, identity, store } = options
  const facts = readGenesis(options.genesis)
  const rules = rulesOf(identity.networkId, upgradesOf(identity.upgrades))
  const state = openStoredState(options.reader)
  const sessions = new WeakMap<ChainReplay, Session>()
  const now: Standing = { session: undefined, ahead: [], lost: undefined, heights: new Map() }
  const queue = new WorkQueue()
  const open = async (chain: ChainName): Promise<ChainReplay> => {
    // Batches under way are waited for. Their failure is reported to the caller that sent them.
    await stored(now, now.ahead).catch(() => undefined)
    if (now.session === undefined) {
      const number = await store.begin()
      now.session = { number, assets: newAssetNumbers(await state.assets()) }
      now.ahead = []
    }
    const { session } = now
    const { assets } = session
    const { utxoLimit = usualUtxoLimit } = options
    const replay = await openReplay(chain, { source, facts, rules, state, assets, utxoLimit })
    sessions.set(replay, session)
    now.heights.set(chain, replay.height())
    return replay
  }
  const commit = async (
    replay: ChainReplay,
    fetched: readonly Fetched<unknown>[],
    signal: AbortSignal,
  ): Promise<void> => {
    const of = sessions.get(replay)
    if (of === undefined || of !== now.session) {
      await stored(now, now.ahead, replay.chain)
      throw whyLost(now.lost, replay.chain)
    }
    const find = now.ahead.reduce((before, { shared }) => findAfter(before, shared), state.find)
    const made = await replay.replay(fetched, find, signal)
    if (made.rows.until <= made.rows.from) return
    if (now.ahead.length === mostAhead) await stored(now, now.ahead.slice(0, 1), replay.chain)
    const storing = noted(now, of, made.rows, store.commit(of.number, made.rows, made.raw))
    now.ahead = [...now.ahead, { shared: made.shared, stored: storing }].slice(-mostAhead)
  }
  const takeBack: PrimaryHost['takeBack'] = async (chain, height, accepted) => {
    await stored(now, now.ahead).catch(() => undefined)
    const at = await state.checkpoint(chain)
    if (at?.height !== height || equalBytes(at.blockId, accepted)) return false
    now.session = undefined
    now.lost = { chain, error: new Fault('store-failed', `block ${height} is taken back`) }
    return store.takeBack(chain)
  }
  return {
    facts,
    rules,
    takeBack: (...block) => queue.run(() => takeBack(...block)),
    replay: (chain) => queue.run(() => open(chain)),
    commit: (replay, fetched, signal) => queue.run(() => commit(replay, fetched, signal)),
    settled: (chain) => queue.run(() => stored(now, now.ahead, chain)),
    storedHeight: (chain) => Math.max(-1, now.heights.get(chain) ?? -1),
    health: store.health,
  }
}

async function stored(
  { lost }: Standing,
  batches: readonly Ahead[],
  chain?: ChainName,
): Promise<void> {
  try {
    for (const batch of batches) await batch.stored
  } catch (error) {
    throw lost === undefined ? error : whyLost(lost, chain)
  }
}

/** Notes how storing a batch ends: at its height, or with the session that it was part of. */
function noted(
  now: Standing,
  session: Session,
  { chain, checkpoint }: RowBatch,
  stores: Promise<void>,
): Promise<void> {
  const storing = stores.then(
    () => void now.heights.set(chain, checkpoint.height),
    (error: unknown) => {
      // Batches after it fail only because of it.
      if (now.session === session) {
        now.session = undefined
        now.lost = { chain, error }
      }
      throw error
    },
  )
  // The next caller gets the error.
  storing.catch(() => undefined)
  return storing
}

/** The error for `chain`: a failure of another chain's batch alone is no reason to stop it. */
function whyLost(lost: Lost | undefined, chain: ChainName | undefined): unknown {
  const isCommon = faultOf(lost?.error) !== undefined
  if (lost !== undefined && (isCommon || lost.chain === (chain ?? lost.chain))) return lost.error
  const cause = lost === undefined ? '' : `, for what follows a batch of the ${lost.chain}-Chain`
  return new Fault('store-failed', `replayed blocks were not stored${cause}`)
}

/** A host with the store in the same thread. */
export async function openPrimaryHost(
  options: PrimaryStoreOptions & { readonly source: PrimarySource },
): Promise<PrimaryHost & Pick<PrimaryStore, 'database' | 'judgeMore' | 'close'>> {
  const { source } = options
  const identity = await source.identity(options.signal)
  const store = await openPrimaryStore(options, identity)
  const { genesis, database, judgeMore } = store
  const host = primaryHost({ source, identity, genesis, reader: database, store })
  return {
    ...host,
    database,
    judgeMore,
    close: async () => {
      // A failure was thrown to the sender of the batch.
      await host.settled().catch(() => undefined)
      await store.close()
    },
  }
}

// Stored state that replay needs: look-ups, and the state it begins with.

/** The reading side of a store with `primaryTables`. */
function openStoredState(reader: Reader): StoredState {
  return {
    find: (wanted) => findRows(reader, wanted),
    checkpoint: (chain) => readCheckpoint(reader, chain),
    assets: async () =>
      (await reader.all(everyAsset)).map((row) => ({
        number: row[0],
        assetId: row[1],
      })),
    pState: () => readPState(reader),
  }
}

const progressQuestion = statement('select body from progress where chain = ?')

async function readCheckpoint(reader: Reader, chain: ChainName): Promise<Checkpoint | undefined> {
  const at = await getCheckpoint(reader, chain)
  const row = await reader.get(progressQuestion, [chain])
  if (at?.hash === undefined || row === undefined) return undefined
  return { chain, height: at.height, blockId: at.hash, ...progressBody.fromBytes(row[0]) }
}

const everyAsset = statement('select id, asset_id from asset order by id')

const supplies = statement('select subnet_id, amount from supply')

async function readPState(reader: Reader): Promise<PStateRows | undefined> {
  const checkpoint = await readCheckpoint(reader, 'P')
  if (checkpoint === undefined) return undefined
  const rows = await reader.all(supplies)
  return {
    checkpoint,
    stakers: await openStakers(reader),
    subnets: await allSubnets(reader),
    l1Validators: await liveL1Validators(reader),
    supplies: rows.map((row) => ({ subnetId: row[0], supply: toBigint(row[1]) })),
  }
}
