/**
 * Writes one EVM chain. The way of a block, and why its steps have this order:
 *
 * 1. Read: `read/read-chain.ts` fetches blocks with their receipts in the decoder's thread, ahead of the writer.
 * 2. Check: `read/block-checks.ts` proves header, transactions and receipts by their hashes. Nothing that a node
 *    made up comes further.
 * 3. Settle: where a chain executes after acceptance (ACP-194), `read/settlement.ts` waits for the later header that
 *    commits to the receipts.
 * 4. Number, `write/intern.ts`: addresses get their numbers, since every row that follows names them by these.
 * 5. Write, `write/apply-blocks.ts`: rows of history, tokens and balances, and the counters of metrics, which count them.
 * 6. Freeze, `freeze/freeze-at-once.ts`: of a backfill the rows become a segment, which is on disk before it can be named.
 * 7. Cut, `cut/cut-chain.ts`: rows of blocks that the chain does not have are taken back, with all that followed from them. Only where
 *    a later check refutes what was stored.
 * 8. Publish: events for webhooks enter the outbox, and the checkpoint moves. It is the last write, so that a reader
 *    sees whole blocks, and a writer that lost its lease changes nothing.
 *
 * Steps 4, 5, 6 and 8 are one transaction: a batch that fails leaves the store as it was, and the next call starts
 * from what is stored. Step 7 is a call and a transaction of its own.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { type Fault, faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { ActivityNotes } from '../../../rollup/activity-notes.ts'
import type { Rollup } from '../../../rollup/rollup.ts'
import { getCheckpoint, moveCheckpoint, blockStage, traceStage } from '../../../store/checkpoint.ts'
import type { Database, Reader, MaybePromise, Writer } from '../../../store/engine/database.ts'
import { thawFrom } from '../../../store/history/freeze.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import { putMeta } from '../../../store/meta.ts'
import { proofsText, storedProofsText } from '../../../store/query/evm/heights.ts'
import { proofsName, tracesSinceName } from '../../../store/schema/control.ts'
import type { EvmOutbox } from '../../events/evm-outbox.ts'
import type { BlockReport } from '../../stream/chain-spec.ts'
import { cutChain } from '../cut/cut-chain.ts'
import { type FreezingAtOnce, targetOfBlocks, targetOfTraces } from '../freeze/freeze-at-once.ts'
import { checkFollows, checkpointAfter, writeBatch } from '../write/apply-blocks.ts'
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
  /** Counts who was active in the blocks that are stored. */
  readonly activity?: ActivityNotes | undefined
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
   * freezing. Faults as `checkFollows`, `lease-lost`, `store-*`.
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
    const { lease, outbox, activity } = this.#options
    const freezing = this.#freezing
    const stored = await this.#transaction(async (writer, state) => {
      const before = await getCheckpoint(writer, blockStage)
      checkFollows(batch, before)
      // Where the rows go decides whether step 6 has anything to do.
      const into = await targetOfBlocks(writer, batch, { proofs, headHeight, freezing })
      // 4. Number
      const { interner, rollup } = state
      const highest = await interner.highest(writer)
      const ids = await interner.ids(writer, batch.addresses)
      // 5. Write
      await writeBatch(into.writer, { batch, ids, stored: highest }, before, interner)
      await rollup?.blocks(into.writer, batch, ids)
      // 6. Freeze
      await into.seal()
      // 8. Publish. Most chains have nothing to record of proofs, and no row for it.
      const text = proofsText(proofs)
      if (text !== state.proofs) await putMeta(writer, { [proofsName]: text })
      state.proofs = text
      await outbox?.blocks(writer, batch)
      await moveCheckpoint(writer, blockStage, {
        before: before?.height,
        after: checkpointAfter(batch),
        epoch: lease.epoch,
      })
      return ids
    })
    activity?.note(batch, stored)
  }

  /** Stores traces of stored blocks, in the same steps. Faults as `applyTraces`, `lease-lost`, `store-*`. */
  async traces(batch: TraceBatch): Promise<void> {
    const { database, lease, outbox } = this.#options
    await this.#transaction(async (writer, { interner, rollup }) => {
      const into = await targetOfTraces(writer, batch, database.history)
      const { before, ids, timestamps } = await applyTraces(into.writer, batch, interner)
      await rollup?.traces(into.writer, batch, ids, timestamps)
      await into.seal()
      await outbox?.traces(writer, batch)
      await moveCheckpoint(writer, traceStage, {
        before: before?.height,
        after: { height: batch.until - 1, hash: undefined },
        epoch: lease.epoch,
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
    const { database, lease, clock, outbox, activity } = this.#options
    // What is remembered is from before the cut.
    this.#state = undefined
    activity?.forget()
    return underLease(database, { lease, clock }, async (writer) => {
      const history = database.history
      if (history !== undefined) await thawFrom({ writer, history, recount }, from)
      await outbox?.cut(writer, from)
      return cutChain(writer, from, lease.epoch)
    })
  }

  /** Does `work` in one transaction. Forgets the remembered state when it fails, which is ahead of the store then. */
  async #transaction<T>(work: (writer: Writer, state: State) => Promise<T>): Promise<T> {
    const { database, lease, clock, openRollup } = this.#options
    const state = (this.#state ??= {
      interner: new Interner(),
      rollup: await openRollup?.(database),
      proofs: await storedProofsText(database),
    })
    try {
      return await underLease(database, { lease, clock }, (writer) => work(writer, state))
    } catch (error) {
      this.#state = undefined
      throw error
    }
  }
}
