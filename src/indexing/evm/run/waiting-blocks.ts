/**
 * Batches that wait for the writer of a chain. Those that came while it was busy are committed together, as
 * many as have their segments made at once: so the makers of segments work side by side.
 */

import { WorkQueue } from '../../../core/work-queue.ts'
import type { ProvenBatch } from '../freeze/freeze-at-once.ts'
import type { EvmIngest } from './evm-ingest.ts'

/** Parts of {@link WaitingBlocks}. */
export type WaitingBlocksParts = {
  /** Resolves when the store has room for more. */
  readonly room: () => Promise<void>
  /** Does `work`, again where it failed for a reason that passes. */
  readonly write: (work: (ingest: EvmIngest) => Promise<void>) => Promise<void>
  /** Returns whether a batch may be committed with others: what it adds to tables is not read by them. */
  readonly joins: (batch: ProvenBatch) => boolean
  /** Batches of one commit at most. */
  readonly most: () => number
}

type Waiting = ProvenBatch & { readonly done: PromiseWithResolvers<void> }

/** Batches of one chain, in order. */
export class WaitingBlocks {
  readonly #parts: WaitingBlocksParts
  readonly #queue = new WorkQueue()
  readonly #waiting: Waiting[] = []

  constructor(parts: WaitingBlocksParts) {
    this.#parts = parts
  }

  /** Resolves once the batch is committed. Throws what kept it, and those beside it, from that. */
  async add(batch: ProvenBatch): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ ...batch, done })
    void this.#queue.run(() => this.#writeNext())
    await done.promise
  }

  /** Resolves once nothing of what was added so far waits or is being written. */
  async settled(): Promise<void> {
    await this.#queue.idle()
  }

  /** Writes the batches that wait now; none where one before took them along. */
  async #writeNext(): Promise<void> {
    if (this.#waiting.length === 0) return
    const { room, write } = this.#parts
    let taken: Waiting[] = []
    const take = (): void => {
      if (taken.length === 0) taken = this.#waiting.splice(0, this.#count())
    }
    try {
      await room()
      await write(async (ingest) => {
        take()
        await ingest.batches(taken)
      })
      for (const { done } of taken) done.resolve()
    } catch (error) {
      take()
      for (const { done } of taken) done.reject(error)
    }
  }

  /** Number of those at the front that are committed together. */
  #count(): number {
    const { joins, most } = this.#parts
    const alone = this.#waiting.findIndex((batch) => !joins(batch))
    const together = alone === -1 ? this.#waiting.length : alone
    return Math.max(1, Math.min(most(), together))
  }
}
