/**
 * Traces of two endpoints compared. Inner frames are under no hash: what one node alone says of
 * them can be forged. Where a second endpoint offers traces, a sample is read from it, too.
 *
 * Endpoints that differ are read again, and a third one where there is one: two that agree are
 * believed. Until then the traces are not handed on, and the stage says why. An endpoint that was
 * in the wrong has what it gave since it last agreed with another read again, and all it gives
 * compared.
 */

import type { TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { mergeTraces } from '../../../codec/evm/columns/merge-batches.ts'
import { batchSum } from '../../../codec/evm/growing-batch.ts'
import { Fault } from '../../../core/fault.ts'
import type { EvmSource, ReadRange } from '../../../source/evm-source.ts'
import type { TakenOnTrust, TakenRange } from './taken-on-trust.ts'

/** Traces of a range, and the endpoint that gave them. */
export type NodeTraces = { readonly batch: TraceBatch; readonly origin: string }

type CompareTracesOptions = {
  readonly source: EvmSource
  readonly trust: TakenOnTrust
  /** Reads traces from `range.from` on, all or fewer, checked against their transactions. */
  readonly read: (range: ReadRange, signal: AbortSignal) => Promise<NodeTraces>
}

/** Differences kept in mind until endpoints agree; fetches under way are fewer. */
const maxOpen = 256

/** Compares traces of one chain. */
export class TraceComparison {
  readonly #options: CompareTracesOptions
  /** Differing answers of endpoints for a range, by its first height. */
  readonly #open = new Map<number, Map<string, string>>()

  constructor(options: CompareTracesOptions) {
    this.#options = options
  }

  /**
   * Looks at traces before they are handed on; with `isSampled` they are compared. Throws
   * `node-answer` when endpoints do not agree, and as `EvmSource.traces`.
   */
  async look(traces: NodeTraces, isSampled: boolean, signal: AbortSignal): Promise<void> {
    const { source, trust } = this.#options
    const { origin } = traces
    const others = source
      .endpoints()
      .filter(({ name, state }) => name !== origin && state !== 'quarantined')
    if (others.length === 0) return
    const isOpen = this.#open.has(traces.batch.from)
    if (isSampled || isOpen || !trust.believes(origin)) await this.#compare(traces, signal)
    else trust.took({ ...rangeOf(traces), origin, sum: batchSum(traces.batch) })
  }

  /** Sum of the traces of a range as another endpoint than its own gives them now. */
  async sumNow({ from, until, origin }: TakenRange, signal: AbortSignal): Promise<string> {
    return (await this.#sumOf({ from, until, otherThan: [origin] }, signal)).sum
  }

  async #compare(traces: NodeTraces, signal: AbortSignal): Promise<void> {
    const range = rangeOf(traces)
    const sums = new Map([[traces.origin, batchSum(traces.batch)]])
    while (sums.size < 3) {
      const other = await this.#sumOf({ ...range, otherThan: [...sums.keys()] }, signal)
      // No other endpoint offers traces now.
      if (sums.has(other.origin) || other.origin === '') break
      const agrees = [...sums.values()].includes(other.sum)
      sums.set(other.origin, other.sum)
      if (agrees) return this.#agreed(traces, other.sum, sums)
    }
    if (sums.size === 1 && this.#options.trust.believes(traces.origin)) return
    if (sums.size === 1)
      throw new Fault(
        'node-answer',
        `${traces.origin} gave other traces before, and no other endpoint gave any`,
      )
    if (this.#open.size < maxOpen)
      this.#open.set(range.from, new Map([...(this.#open.get(range.from) ?? []), ...sums]))
    throw new Fault(
      'node-answer',
      `endpoints give different traces of blocks ${range.from} to ${range.until - 1}: ${[...sums.keys()].join(', ')}`,
      { detail: { from: range.from } },
    )
  }

  /** Two endpoints gave `sum`; who gave another, now or before, is caught. */
  #agreed(traces: NodeTraces, sum: string, sums: ReadonlyMap<string, string>): void {
    const { source, trust } = this.#options
    const { from, until } = rangeOf(traces)
    const reason = `gave other traces of blocks ${from} to ${until - 1} than two endpoints`
    const before = this.#open.get(from) ?? new Map<string, string>()
    this.#open.delete(from)
    for (const [origin, its] of [...before, ...sums]) {
      if (its === sum) continue
      source.doubt(origin, reason)
      trust.caught(origin)
      // All of what it gives is compared from now on, also what is under way.
      trust.disbelieve(origin)
    }
    for (const [origin, its] of sums)
      if (its === sum && (before.get(origin) ?? sum) === sum) trust.proved(origin, until - 1)
    if (sums.get(traces.origin) !== sum)
      throw new Fault('node-answer', `${traces.origin} ${reason}`, { detail: { from } })
  }

  /** Sum of all of a range, and the endpoint that gave it; without one where several had to. */
  async #sumOf(
    range: ReadRange,
    signal: AbortSignal,
  ): Promise<{ readonly sum: string; readonly origin: string }> {
    const pieces: NodeTraces[] = []
    for (let { from } = range; from < range.until; from = pieces.at(-1)?.batch.until ?? range.until)
      pieces.push(await this.#options.read({ ...range, from }, signal))
    const origins = new Set(pieces.map(({ origin }) => origin))
    const [origin = ''] = origins
    const sum = batchSum(mergeTraces(pieces.map(({ batch }) => batch)))
    return { sum, origin: origins.size === 1 ? origin : '' }
  }
}

function rangeOf({ batch }: NodeTraces): { readonly from: number; readonly until: number } {
  return { from: batch.from, until: batch.until }
}
