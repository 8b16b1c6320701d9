/**
 * Writes one EVM chain: batch after batch, each in one transaction with its checkpoint, its
 * counters and the proof that this process still holds the lease.
 *
 * Knows nothing of nodes, threads or order of work: that is the pipeline's. A batch that fails
 * leaves the store as it was, and the next call starts from what is stored.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { type Fault, faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { Rollup } from '../../../rollup/rollup.ts'
import { getCheckpoint, moveCheckpoint, blockStage, traceStage } from '../../../store/checkpoint.ts'
import type { Database, Reader, MaybePromise, Writer } from '../../../store/engine/database.ts'
import { thawFrom } from '../../../store/history/freeze.ts'
import { historyOf } from '../../../store/history/history.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import { putMeta } from '../../../store/meta.ts'
import { proofsText, storedProofsText } from '../../../store/query/evm/heights.ts'
import { proofsName, tracesSinceName } from '../../../store/schema/control.ts'
import type { EvmOutbox } from '../../events/evm-outbox.ts'
import type { BlockReport } from '../../stream/chain-spec.ts'
import { cutChain } from '../cut/cut-chain.ts'
import { type FreezingAtOnce, frozenAtOnce, tracesBesideBlocks } from '../freeze/freeze-at-once.ts'
import { applyBlocks, checkpointAfter } from '../write/apply-blocks.ts'
import { applyTraces } from '../write/apply-traces.ts'
import { Interner } from '../write/intern.ts'
import { recount } from '../write/recount.ts'

/** All that an ingest writes with. */
export type EvmIngestOptions = {
  readonly database: Database
  readonly lease: Lease
  readonly clock: Clock
  /** Loads the counters as of the last commit; absent without counters. */
  readonly openRollup?: ((reader: Reader) => MaybePromise<Rollup>) | undefined
  /** Notes what webhooks report; absent where there are none. */
  readonly outbox?: EvmOutbox | undefined
  /** Present where blocks of a backfill become segments at once. */
  readonly freezing?: FreezingAtOnce | undefined
}

/**
 * Rows of one batch that are worth one commit: transactions and transfers together. Larger
 * batches touch each index page less often: 80,000 rows took 16.4 µs of processor a transfer
 * where 40,000 took 19.2; 160,000 took no less and a third more memory.
 */
export const goodBatchRows = 80_000

type State = {
  readonly interner: Interner
  readonly rollup: Rollup | undefined
  /** The stored text on proofs. */
  proofs: string
}

/** Writes batches. Calls must not overlap. */
export class EvmIngest {
  readonly #options: EvmIngestOptions
  #state: State | undefined
  /** Absent, too, once rows in tables cannot freeze: later rows then go into tables as well. */
  #freezing: FreezingAtOnce | undefined

  constructor(options: EvmIngestOptions) {
    this.#options = options
    this.#freezing = options.freezing
  }

  /**
   * Stores blocks that follow the last ones, and what hashes do not prove of all that is stored
   * then. Returns the fault of rows in tables that are not those that were written: they keep history from
   * freezing. Faults as `applyBlocks`, `lease-lost`, `store-*`.
   */
  async blocks(batch: BlockBatch, report: Partial<BlockReport> = {}): Promise<Fault | undefined> {
    try {
      await this.#commit(batch, report)
      return undefined
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code !== 'rows-altered') throw error
      this.#freezing = undefined
      await this.#commit(batch, report)
      return fault
    }
  }

  async #commit(
    batch: BlockBatch,
    { proofs = {}, headHeight }: Partial<BlockReport>,
  ): Promise<void> {
    const { database, lease, clock, outbox } = this.#options
    const freezing = this.#freezing
    await this.#whole(async (state) => {
      await underLease(database, { lease, clock }, async (writer) => {
        const before = await frozenAtOnce(
          writer,
          { batch, proofs, headHeight, freezing },
          async (into) => {
            const applied = await applyBlocks(into, batch, state.interner)
            await state.rollup?.blocks(into, batch, applied.ids)
            return applied.before
          },
        )
        await writeProofs(writer, state, proofsText(proofs))
        await outbox?.blocks(writer, batch)
        await moveCheckpoint(writer, blockStage, {
          before: before?.height,
          after: checkpointAfter(batch),
          epoch: lease.epoch,
        })
      })
    })
  }

  /** Stores traces of stored blocks. Faults as `applyTraces`, `lease-lost`, `store-*`. */
  async traces(batch: TraceBatch): Promise<void> {
    const { database, lease, clock, outbox } = this.#options
    await this.#whole(async (state) => {
      await underLease(database, { lease, clock }, async (writer) => {
        const before = await tracesBesideBlocks(
          writer,
          batch,
          historyOf(database),
          async (into) => {
            const applied = await applyTraces(into, batch, state.interner)
            await state.rollup?.traces(into, batch, applied.ids, applied.timestamps)
            return applied.before
          },
        )
        await outbox?.traces(writer, batch)
        await moveCheckpoint(writer, traceStage, {
          before: before?.height,
          after: { height: batch.until - 1, hash: undefined },
          epoch: lease.epoch,
        })
      })
    })
  }

  /**
   * Moves the traces on to height `since`, without those between, and records that they are
   * complete from there only. Faults as `traces`.
   */
  async skipTraces(since: number): Promise<void> {
    const { database, lease, clock } = this.#options
    await underLease(database, { lease, clock }, async (writer) => {
      const before = await getCheckpoint(writer, traceStage)
      await putMeta(writer, { [tracesSinceName]: String(since) })
      await moveCheckpoint(writer, traceStage, {
        before: before?.height,
        after: { height: since - 1, hash: undefined },
        epoch: lease.epoch,
      })
    })
  }

  /**
   * Removes what is stored from height `from` on, see `cut-chain.ts`; both stages then go on from
   * there. Returns whether there was anything. Faults as `cutChain`, `lease-lost`, `store-*`.
   */
  async cut(from: number): Promise<boolean> {
    const { database, lease, clock, outbox } = this.#options
    // What is remembered is from before the cut.
    this.#state = undefined
    return underLease(database, { lease, clock }, async (writer) => {
      const history = historyOf(database)
      if (history !== undefined) await thawFrom({ writer, history, recount }, from)
      await outbox?.cut(writer, from)
      return cutChain(writer, from, lease.epoch)
    })
  }

  /** Forgets the remembered state when `work` fails, because it is ahead of the store then. */
  async #whole(work: (state: State) => Promise<void>): Promise<void> {
    this.#state ??= {
      interner: new Interner(),
      rollup: await this.#options.openRollup?.(this.#options.database),
      proofs: await storedProofsText(this.#options.database),
    }
    try {
      await work(this.#state)
    } catch (error) {
      this.#state = undefined
      throw error
    }
  }
}

/** Most chains have nothing to record here, and no row for it. */
async function writeProofs(writer: Writer, state: State, text: string): Promise<void> {
  if (text === state.proofs) return
  await putMeta(writer, { [proofsName]: text })
  state.proofs = text
}
