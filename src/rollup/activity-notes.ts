/**
 * Additions of blocks that were just stored to the days of `activity_day`, counted from their columns: a quarter of
 * a microsecond a transaction, where reading the rows again takes a whole one.
 */

import { noAddress } from '../codec/evm/columns/column-kinds.ts'
import type { BlockBatch } from '../codec/evm/columns/columns.ts'
import { f64At, u32At } from '../core/item-at.ts'
import { ActivityCounts } from './activity-counts.ts'
import type { CountedDay } from './count-activity.ts'
import { nextPeriod, periodStart } from './period.ts'
import type { AddressIds } from './rollup.ts'

/** Addresses of the days that are kept, some 100 bytes each; beyond it rows are read again. */
const mostKept = 500_000

/** The batches noted since the last look, without a gap. */
export class ActivityNotes {
  #from = 0
  #until = 0
  readonly #days: CountedDay[] = []

  /** The first height noted; `undefined` where nothing is. */
  get from(): number | undefined {
    return this.#days.length === 0 ? undefined : this.#from
  }

  /** Notes a batch that is stored; `ids` are the numbers of its addresses. */
  note(batch: BlockBatch, ids: AddressIds): void {
    if (batch.from !== this.#until) this.forget()
    if (this.#days.length === 0) this.#from = batch.from
    const { count, timestamp, txCount, hash } = batch.blocks
    const added = new Added(ids.length)
    let tx = 0
    for (let block = 0; block < count;) {
      const start = periodStart('day', f64At(timestamp, block))
      const before = nextPeriod('day', start)
      const first = tx
      while (block < count && f64At(timestamp, block) < before) tx += u32At(txCount, block++)
      const height = batch.from + block - 1
      const blockHash = hash.slice((block - 1) * 32, block * 32)
      const last = this.#days.at(-1)
      const kept = last?.start === start ? this.#days.pop() : undefined
      const senders = kept?.senders ?? new ActivityCounts()
      const callees = kept?.callees ?? new ActivityCounts()
      const { from, to, gasUsed, inputLength } = batch.txs
      for (let row = first; row < tx; row++) {
        const gas = f64At(gasUsed, row)
        added.add(0, u32At(from, row), gas)
        const callee = u32At(to, row)
        if (callee !== noAddress && u32At(inputLength, row) >= 4) added.add(1, callee, gas)
      }
      added.move(0, ids, senders)
      added.move(1, ids, callees)
      this.#days.push({ start, height, hash: blockHash, senders, callees })
    }
    this.#until = batch.until
    const kept = this.#days.reduce((sum, day) => sum + day.senders.size + day.callees.size, 0)
    if (kept > mostKept) this.forget()
  }

  /** Gives the days noted, oldest first, and forgets them. */
  take(): readonly CountedDay[] {
    return this.#days.splice(0)
  }

  /** Forgets all: the chain was cut. */
  forget(): void {
    this.#days.length = 0
  }
}

/** Sums by the place of an address in its batch, for both lists. */
class Added {
  readonly #txs: readonly [Uint32Array, Uint32Array]
  readonly #gas: readonly [Float64Array, Float64Array]

  constructor(addresses: number) {
    this.#txs = [new Uint32Array(addresses), new Uint32Array(addresses)]
    this.#gas = [new Float64Array(addresses), new Float64Array(addresses)]
  }

  add(list: 0 | 1, place: number, gas: number): void {
    const txs = this.#txs[list]
    const sums = this.#gas[list]
    txs[place] = u32At(txs, place) + 1
    sums[place] = f64At(sums, place) + gas
  }

  /** Adds the sums to `counts`, by the numbers of the addresses, and begins at zero. */
  move(list: 0 | 1, ids: AddressIds, counts: ActivityCounts): void {
    const txs = this.#txs[list]
    const sums = this.#gas[list]
    for (let place = 0; place < txs.length; place++)
      if (u32At(txs, place) > 0)
        counts.add(f64At(ids, place), u32At(txs, place), f64At(sums, place))
    txs.fill(0)
    sums.fill(0)
  }
}
