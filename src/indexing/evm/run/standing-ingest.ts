/**
 * Writes one EVM chain for as long as the process runs, one piece of work after the other.
 *
 * A full disk pauses the chain, it does not stop it: the batch waits here until there is room. When
 * another process took the store, this one stands by and goes on where that one's rows end.
 */

import { to0x } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { WorkQueue } from '../../../core/waiting.ts'
import type { World } from '../../../core/world.ts'
import type { ActivityNotes } from '../../../rollup/activity-notes.ts'
import { openRollup } from '../../../rollup/chain-rollup.ts'
import { getCheckpoint, blockStage, traceStage } from '../../../store/checkpoint.ts'
import type { Database, Writer } from '../../../store/engine/database.ts'
import {
  type Lease,
  leaseTtlMs,
  renewLease,
  type StandingLease,
  underLease,
} from '../../../store/lease.ts'
import { storedProofs } from '../../../store/query/evm/heights.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { EvmOutbox } from '../../events/evm-outbox.ts'
import type { ChainSpec, ResumePoint } from '../../stream/chain-spec.ts'
import type { FreezingAtOnce } from '../freeze/freeze-at-once.ts'
import { EvmIngest } from './evm-ingest.ts'

/** Pause before a store without room is tried again. */
const fullPauseMs = 2_000

type StandingIngestOptions = {
  readonly database: Database
  readonly standing: StandingLease
  readonly spec: Pick<ChainSpec, 'startHeight'>
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly signal: AbortSignal
  /** Notes what webhooks report; absent where there are none. */
  readonly outbox: EvmOutbox | undefined
  /** Present where blocks of a backfill become segments at once. */
  readonly freezing: FreezingAtOnce | undefined
  readonly activity: ActivityNotes
}

/** The writer of a chain. Calls may overlap; they are done in order. */
export class StandingIngest {
  readonly #options: StandingIngestOptions
  /**
   * Writes what follows the rows that `resume` returned; none when another process added to them.
   */
  #ingest: EvmIngest | undefined
  readonly #queue = new WorkQueue()
  #lastCommitMs: number
  #changes = 0

  constructor(options: StandingIngestOptions) {
    this.#options = options
    this.#lastCommitMs = options.world.clock.monotonic()
  }

  /**
   * Where the rows end, once all that was handed in before is done; waits while another process
   * writes the store. Needed before the first batch, and again after `lease-lost`. Throws
   * `lease-lost`, `store-failed`.
   */
  readonly resume = async (): Promise<ResumePoint> => {
    const { database, standing, spec, world, outbox, freezing, activity } = this.#options
    const { clock } = world
    await standing.regain()
    return this.#changing(async (lease) => {
      // A commit whose answer was lost may still be under way: it holds the lease until it is over.
      const point = await underLease(database, { lease, clock }, async (writer) => {
        const blocks = await getCheckpoint(writer, blockStage)
        const traces = await getCheckpoint(writer, traceStage)
        return {
          blocksFrom: blocks === undefined ? spec.startHeight : blocks.height + 1,
          tracesFrom: traces === undefined ? spec.startHeight : traces.height + 1,
          parentHash: blocks?.hash && to0x(blocks.hash),
          proofs: blocks === undefined ? undefined : await storedProofs(writer),
        }
      })
      const parts = { openRollup, outbox, freezing, activity }
      this.#ingest ??= new EvmIngest({ database, lease, clock, ...parts })
      return point
    })
  }

  /** Writes a batch, or more than one. Throws what `work` throws, `lease-lost`, `store-failed`. */
  readonly write = <T>(work: (ingest: EvmIngest) => Promise<T>): Promise<T> =>
    this.#changing(() => {
      const { standing, database } = this.#options
      const ingest = this.#ingest
      if (ingest === undefined)
        throw new Fault('store-failed', 'another process wrote the store meanwhile')
      return standing.endedByBug(database, () => work(ingest))
    })

  /** Does `work` in one transaction, under the lease. */
  readonly commit = <T>(work: (writer: Writer) => Promise<T>): Promise<T> => {
    const { database, world } = this.#options
    return this.#changing((lease) => underLease(database, { lease, clock: world.clock }, work))
  }

  /** Says that this process still writes, where no commit did; waits while another does. */
  readonly renew = async (): Promise<void> => {
    const { database, standing, world } = this.#options
    await standing.regain()
    if (world.clock.monotonic() - this.#lastCommitMs >= leaseTtlMs / 4)
      await this.#inOrder((lease) => renewLease(database, lease, world.clock))
  }

  /** Another number once the store was changed. */
  readonly changes = (): number => this.#changes

  /** Returns whether this process writes the store, as far as it knows. */
  readonly isHeld = (): boolean => this.#options.standing.isHeld

  /** Leaves the store to another process, once all that was handed in before is done. */
  readonly giveUp = (): Promise<void> =>
    this.#inOrder(async () => {
      this.#ingest = undefined
      await this.#options.standing.giveUp(this.#options.database)
    })

  /** Waits for the work under way. */
  async settled(): Promise<void> {
    await this.#queue.idle()
  }

  async #changing<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    try {
      return await this.#inOrder(work)
    } finally {
      this.#changes++
    }
  }

  #inOrder<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    const { standing, world } = this.#options
    return this.#queue.run(async () => {
      try {
        const done = await whenThereIsRoom(() => standing.during(work), this.#options)
        this.#lastCommitMs = world.clock.monotonic()
        return done
      } catch (error) {
        if (faultOf(error)?.code === 'lease-lost') this.#ingest = undefined
        throw error
      }
    })
  }
}

/** Does `work`, again and again while the disk is full. */
async function whenThereIsRoom<T>(
  work: () => Promise<T>,
  { log, world, signal }: StandingIngestOptions,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (faultOf(error)?.code !== 'store-full' || signal.aborted) throw error
      log.error('disk full, writing waits', {})
      await world.clock.sleep(fullPauseMs, signal)
    }
  }
}
