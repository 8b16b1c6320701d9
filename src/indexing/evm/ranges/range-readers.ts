/**
 * Others that read ranges of a chain for the decoder of the process that writes it: threads of this
 * process and other machines.
 *
 * A range is asked of the reader that has least to do, the decoder among them. The decoder reads itself what
 * another reader fails to read: others make a backfill quicker, and none of them is needed. No part of
 * their work depends on earlier blocks, so ranges may come back in any order.
 */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { EndpointStatus, HeightRange } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { BlocksPiece } from '../read/block-piece.ts'
import type { RangeChain } from './range-bytes.ts'

/** Treatment of an endpoint that told something untrue; see `EvmSource`. */
export type Distrust = 'doubt' | 'distrust'

/** One that reads ranges of one chain. Times are monotonic milliseconds. */
export type OtherReader = {
  /**
   * Reads that it takes at once, those under way among them, for a chain that is `behind` blocks behind
   * its head; 0 while it is left alone.
   */
  readonly window: (behind: number, now: number) => number
  /** Part of its window that is under way; undefined when it takes nothing more. */
  readonly load: (behind: number, now: number) => number | undefined
  /**
   * Blocks from `range.from` on: all of the range, or fewer; undefined where hashes do not prove all of
   * them. Throws whatever kept it from reading.
   */
  readonly read: (
    chain: RangeChain,
    range: HeightRange,
    signal: AbortSignal,
  ) => Promise<BlocksPiece | undefined>
  /** Reports something untrue that `origin` told; returns whether `origin` is this reader itself. */
  readonly blame: (origin: string, reason: string, how: Distrust) => boolean
  /** Its endpoints that operators are shown; none where they are shown already. */
  readonly endpoints: (now: number) => readonly EndpointStatus[]
}

/** Parts of {@link RangeReaders}. */
export type RangeReadersParts = {
  readonly others: readonly OtherReader[]
  readonly clock: Clock
  readonly log: Log
}

/**
 * Nearer to the head than this the decoder reads: others may not have these blocks, and nothing is
 * gained by their help.
 */
const nearHead = 32

/**
 * After so many ranges in a row that hashes did not prove, one in as many is asked of others: each of
 * them is read twice.
 */
const unprovenInARow = 8

/** Readers of one chain. */
export class RangeReaders {
  readonly #parts: RangeReadersParts
  #chain: RangeChain | undefined
  /** Reads of the decoder under way. */
  #own = 0
  #unproven = 0
  #kept = 0

  constructor(parts: RangeReadersParts) {
    this.#parts = parts
  }

  /** From now on ranges of this chain are asked for. */
  opened(chain: RangeChain): void {
    this.#chain = chain
  }

  /** Reads that others can take beside those of the decoder. */
  window(behind: number): number {
    if (behind < nearHead) return 0
    const now = this.#parts.clock.monotonic()
    return this.#parts.others.reduce((sum, other) => sum + other.window(behind, now), 0)
  }

  /**
   * Blocks from `range.from` on, read by the reader that has least to do. `own` reads them in the decoder,
   * which takes `own.window` reads at once. Faults are those of `own`.
   */
  async read(
    range: HeightRange & { readonly head: number },
    own: { readonly window: number; readonly read: () => Promise<BlocksPiece> },
    signal: AbortSignal,
  ): Promise<BlocksPiece> {
    const other = this.#freest(range, own.window)
    const piece = other === undefined ? undefined : await this.#ask(other, range, signal)
    if (piece !== undefined) return piece
    this.#own++
    try {
      return await own.read()
    } finally {
      this.#own--
    }
  }

  /**
   * Reports to all of them something untrue that `origin` told; returns whether it is one of them, which
   * is not asked for a while then.
   */
  blame(origin: string, reason: string, how: Distrust): boolean {
    const blamed = this.#parts.others.map((other) => other.blame(origin, reason, how))
    return blamed.includes(true)
  }

  endpoints(): readonly EndpointStatus[] {
    const now = this.#parts.clock.monotonic()
    return this.#parts.others.flatMap((other) => other.endpoints(now))
  }

  #freest(
    { until, head }: HeightRange & { readonly head: number },
    ownWindow: number,
  ): OtherReader | undefined {
    const behind = head - until
    if (this.#chain === undefined || behind < nearHead) return undefined
    if (this.#unproven >= unprovenInARow && this.#kept++ % unprovenInARow > 0) return undefined
    const now = this.#parts.clock.monotonic()
    let freest: OtherReader | undefined
    let least = this.#own / Math.max(1, ownWindow)
    for (const other of this.#parts.others) {
      const load = other.load(behind, now)
      if (load === undefined || load > least) continue
      freest = other
      least = load
    }
    return freest
  }

  /** The range as another reader returns it; undefined where it does not, for whatever reason. */
  async #ask(
    other: OtherReader,
    range: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const chain = this.#chain
    if (chain === undefined) return undefined
    try {
      const piece = await other.read(chain, range, signal)
      this.#unproven = piece === undefined ? this.#unproven + 1 : 0
      return piece
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined || signal.aborted) throw error
      const { log } = this.#parts
      log.debug('range was not read elsewhere', { code: fault.code, reason: fault.message })
      return undefined
    }
  }
}
