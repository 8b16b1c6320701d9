/**
 * Shares the chains of a deployment among the processes that index it.
 *
 * Every process reports in the store of the deployment, more than once a second, what it holds and which leases
 * it waits for. A chain counts for 1 at rest, and for up to {@link busyWeight} more where its batches take all of
 * a thread. The share of a process is ⌈weight of all chains / processes⌉. A process below its share
 * takes a store that nobody holds at once; one that has its share leaves it to the others for two
 * seconds (`awaitLease`); one with more gives up what another one below its share waits for. Nobody
 * decides for another, and the lease alone says who writes: a wrong weight costs a move, never a
 * row.
 */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { awaitLease, type Lease, leaseTtlMs, type LifeOf } from '../../store/lease.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import {
  forgetProcesses,
  lifeOf,
  reportChains,
  type ReportingProcess,
  reportingProcesses,
  reportProcess,
} from '../../store/query/deployment.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import type { Log } from '../../telemetry/log.ts'
import { quietStream } from './round-stream.ts'
import type { Stream } from './stage.ts'
import type { MessengerChain } from './stream-spec.ts'

/** Waits for the lease of the store of this name. Throws the reason of a stop. */
export type TakeLease = (key: string, database: Database) => Promise<Lease>

/** A store that this process writes while it has the lease. */
export type SharedStore = {
  readonly isHeld: () => boolean
  /** Share of the last minute that went to its batches, from 0 to 1. */
  readonly load: () => number
  /** Leaves it to another process, once what is under way is stored. */
  readonly giveUp: () => Promise<void>
}

/** The part of one process. */
export type ChainShares = {
  readonly takeLease: TakeLease
  /** From now on `store` is part of what this process has, while it holds its lease. */
  readonly add: (key: string, store: SharedStore) => void
  /** Reports this process, looks at the others, and gives up what is theirs. */
  readonly stream: Stream
}

/** A chain that is filled counts for as many more at rest. */
const busyWeight = 10
/** Of the weight that loads add to a share: less is not worth a move, since loads change. */
const toleratedShare = 1 / 4

/** A process that ended is forgotten after this time; it does not count long before. */
const forgetMs = 60_000

type ChainSharesOptions = {
  readonly store: StoreLocation
  readonly owner: string
  /** Names of the stores that this process would write, if it were alone. */
  readonly keys: readonly string[]
  /** Facts about these chains that the join of messages needs, in whichever process it runs. */
  readonly messengers: readonly MessengerChain[]
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** The shares of a process; `parts.store` is a database that all processes reach. */
export function chainShares(options: ChainSharesOptions): ChainShares {
  const { owner, keys, clock, log, signal } = options
  const { leaseMs } = options.store
  const own = new Map<string, SharedStore>()
  const waiting = new Set<string>()
  const others = new OtherProcesses(owner, clock, leaseMs)
  const known = Promise.withResolvers<void>()
  let livingBefore = 0
  let share = keys.length
  let store: Database | undefined

  const round = async (store: Database): Promise<void> => {
    const mine = heldOf(own)
    const counts = { held: mine.length, weight: weightOf(mine) }
    await reportProcess(store, { owner, beat: clock.now(), waits: [...waiting], ...counts })
    const { living, ended } = others.seen(await reportingProcesses(store))
    await forgetProcesses(store, ended)
    if (living.length !== livingBefore) log.info('share of chains', { others: living.length })
    livingBefore = living.length
    const shares = sharesOf(keys.length, [counts, ...living])
    share = shares.share
    for (const key of surplus(mine, shares, living)) {
      log.info('chain given up', { chain: key })
      await own.get(key)?.giveUp()
    }
  }

  const stream = quietStream('share', async () => {
    let isReported = false
    try {
      while (!signal.aborted) {
        await unlessAway(async () => {
          store ??= await openStore(options.store, deploymentStore, deploymentTables, 'write')
          if (!isReported) await reportChains(store, options.messengers.map(bodyOf))
          isReported = true
          await round(store)
        })
        known.resolve()
        await clock.sleep(leaseTtlMs / 4, signal)
      }
    } finally {
      known.resolve()
      await leave(store, owner)
    }
  })

  return {
    takeLease: async (key, database) => {
      waiting.add(key)
      try {
        await known.promise
        const isOwed = (): boolean => weightOf(heldOf(own)) < share
        const life: LifeOf = (holder) => store && lifeOf(store, holder)
        return await awaitLease(database, owner, { leaseMs, clock, signal, isOwed, lifeOf: life })
      } finally {
        waiting.delete(key)
      }
    },
    add: (key, store) => void own.set(key, store),
    stream,
  }
}

/** The stores of `own` that this process has now. */
function heldOf(own: ReadonlyMap<string, SharedStore>): Held[] {
  return [...own]
    .filter(([, one]) => one.isHeld())
    .map(([key, one]) => ({ key, weight: 1 + Math.round(busyWeight * one.load()) }))
}

/** Does `work`; a database that is away keeps the leases as they are. */
async function unlessAway(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (faultOf(error)?.retryable !== true) throw error
  }
}

function bodyOf(chain: MessengerChain): { readonly store: string; readonly body: string } {
  return { store: chain.key, body: JSON.stringify(chain) }
}

/** So that the other processes need not wait until this one counts as ended. */
async function leave(store: Database | undefined, owner: string): Promise<void> {
  if (store === undefined) return
  try {
    await forgetProcesses(store, [owner])
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
  await store.close()
}

/** A store that this process has, and what it counts for. */
type Held = { readonly key: string; readonly weight: number }

function weightOf(held: readonly Held[]): number {
  return held.reduce((sum, { weight }) => sum + weight, 0)
}

/** The share of each of `processes`, and how much above it is not worth a move. */
function sharesOf(
  chains: number,
  processes: readonly Pick<ReportingProcess, 'held' | 'weight'>[],
): { readonly share: number; readonly least: number } {
  const held = processes.reduce((sum, each) => sum + each.held, 0)
  const weight = processes.reduce((sum, each) => sum + each.weight, 0)
  // One that nobody holds counts as one at rest.
  const share = Math.ceil((weight + Math.max(0, chains - held)) / processes.length)
  const least = (share - Math.ceil(chains / processes.length)) * toleratedShare
  return { share, least }
}

/**
 * The stores of `held` to give up: as much as this process has above its share and others lack, where that is more than
 * `least`; the heaviest first that fits.
 */
export function surplus(
  held: readonly Held[],
  { share, least }: { readonly share: number; readonly least: number },
  others: readonly Pick<ReportingProcess, 'weight' | 'waits'>[],
): readonly string[] {
  const given = new Map<string, number>()
  const heaviestFirst = held.toSorted((a, b) => b.weight - a.weight)
  let above = weightOf(held) - share
  for (const other of others) {
    const wanted = new Set(other.waits)
    let room = Math.min(above, share - other.weight)
    if (room <= least) continue
    for (const { key, weight } of heaviestFirst) {
      if (weight > room || !wanted.has(key) || given.has(key)) continue
      given.set(key, weight)
      room -= weight
      above -= weight
    }
  }
  return [...given.keys()]
}

/** The other processes that live: those whose beat moved lately, by this process's own clock. */
class OtherProcesses {
  readonly #owner: string
  readonly #clock: Clock
  readonly #leaseMs: number
  #seen = new Map<string, { readonly beat: number; readonly sinceMs: number }>()

  constructor(owner: string, clock: Clock, leaseMs = leaseTtlMs) {
    this.#owner = owner
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  seen(reported: readonly ReportingProcess[]): {
    readonly living: readonly ReportingProcess[]
    readonly ended: readonly string[]
  } {
    const now = this.#clock.monotonic()
    const before = this.#seen
    this.#seen = new Map()
    const living: ReportingProcess[] = []
    const ended: string[] = []
    for (const process of reported) {
      if (process.owner === this.#owner) continue
      const last = before.get(process.owner)
      const mark = last?.beat === process.beat ? last : { beat: process.beat, sinceMs: now }
      this.#seen.set(process.owner, mark)
      if (now - mark.sinceMs < this.#leaseMs) living.push(process)
      else if (now - mark.sinceMs >= forgetMs) ended.push(process.owner)
    }
    return { living, ended }
  }
}
