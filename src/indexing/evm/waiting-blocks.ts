/**
 * Batches that wait for the writer of a chain. Those that came while it was busy are committed together, as
 * many as have their segments made at once: so the makers of segments work side by side.
 */

import { WorkQueue } from '../../core/work-queue.ts'
import type { EvmIngest } from './evm-ingest.ts'
import type { ProvenBatch } from './freeze-at-once.ts'

/** Parts of {@link WaitingBlocks}. */
export type WaitingBlocksParts = {
  /** Resolves when the store has room for more. */
  readonly room: () => Promise<void>
  /** Does `work`, again where it failed for a reason that passes. */
  readonly write: (work: (ingest: EvmIngest) => Promise<void>) => Promise<void>
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

  /** Writes the batches that wait now; none where one before took them along. */
  async #writeNext(): Promise<void> {
    if (this.#waiting.length === 0) return
    const { room, write, most } = this.#parts
    let taken: Waiting[] = []
    const take = (): void => {
      if (taken.length === 0) taken = this.#waiting.splice(0, most())
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
}
