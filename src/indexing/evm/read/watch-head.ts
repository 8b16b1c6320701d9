/** Reads the head of a chain's source, as often as it is worth. */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'

/** After so many in a row a chain is no longer called live: one alone is ordinary. */
const headFailures = 2

/** Pause after a question that failed. */
const failurePauseMs = 1_000

/** Sets the head of `blocks` until `signal` is aborted. Throws `source-mismatch`, and bugs. */
export async function watchHead(
  options: {
    readonly source: Pick<EvmSource, 'headHeight'>
    readonly blocks: {
      readonly committed: number
      readonly setHead: (height: number) => void
      readonly loseHead: (reason: string) => void
    }
    /** Called after each question. */
    readonly looked: () => void
    readonly clock: Clock
    readonly log: Log
  },
  signal: AbortSignal,
): Promise<void> {
  const { source, blocks, looked, clock, log } = options
  const rhythm = new HeadRhythm()
  let failures = 0
  while (!signal.aborted) {
    let pauseMs = failurePauseMs
    try {
      const height = await source.headHeight(signal)
      const now = clock.monotonic()
      blocks.setHead(height)
      rhythm.saw(height, now)
      pauseMs = rhythm.pauseMs(height - blocks.committed, now)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      const fault = faultOf(error)
      if (fault === undefined || fault.code === 'source-mismatch') throw error
      log.debug('head is not known', { code: fault.code })
      if (++failures >= headFailures) blocks.loseHead(fault.message)
    }
    looked()
    // Sleeps; an abort ends it early and is no error.
    try {
      await clock.sleep(pauseMs, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** From so many blocks behind on, the head is of no interest for a while. */
const farBehind = 64
const farPauseMs = 1_000

/** Longest pause near the head: an unexpected block is late by this much at most. */
const longestPauseMs = 250

/** Shortest pause: a share of the time between blocks, within these bounds. */
const shortestShare = 0.05
const shortestLeastMs = 20
const shortestMostMs = 60

/** Weight of the newest interval in the average. */
const newest = 0.25

/** A longer interval is a silence: it says nothing of when the next block is due. */
const longestIntervalMs = 4_000

/**
 * When to read a node's newest height again.
 *
 * A chain gains blocks in a rhythm: it is measured, and read often only around the moment at
 * which the next one is due. Far behind the head the answer changes nothing, so that it is read
 * rarely; a chain that stands still is read four times a second.
 */
class HeadRhythm {
  #height = -1
  #changedAt = 0
  /** Between two blocks; 0 before it is known. */
  #intervalMs = 0

  /** The node said `height` at `now`. */
  saw(height: number, now: number): void {
    if (height <= this.#height) return
    // Blocks before the first answer are of unknown age.
    if (this.#height >= 0) {
      const mean = (now - this.#changedAt) / (height - this.#height)
      const each = Math.min(longestIntervalMs, mean)
      const isFirst = this.#intervalMs === 0
      this.#intervalMs = isFirst ? each : this.#intervalMs * (1 - newest) + each * newest
    }
    this.#height = height
    this.#changedAt = now
  }

  /** Pause before the next question, with all but `missing` blocks stored. */
  pauseMs(missing: number, now: number): number {
    if (this.#height < 0 || missing > farBehind) return farPauseMs
    if (this.#intervalMs === 0) return longestPauseMs
    const share = this.#intervalMs * shortestShare
    const shortest = Math.min(shortestMostMs, Math.max(shortestLeastMs, share))
    const untilDue = this.#changedAt + this.#intervalMs - now
    // Halfway to the moment the block is due; once it is overdue, ever longer.
    return Math.min(longestPauseMs, Math.max(shortest, Math.abs(untilDue) / 2))
  }
}
