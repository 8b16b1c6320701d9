/**
 * When to ask a node for its newest height again.
 *
 * A chain gains blocks in a rhythm: it is measured, and asked for often only around the moment at
 * which the next one is due. Far behind the head the answer changes nothing, so that it is asked for
 * rarely; a chain that stands still is asked four times a second.
 */

/** Blocks that are not stored yet, from which on the head is of no interest for a while. */
const farBehind = 64
const farPauseMs = 1_000

/** Longest pause near the head: what a block that comes unawaited is late at most. */
const longestPauseMs = 250

/** Shortest pause: a share of the time between blocks, within these bounds. */
const shortestShare = 0.05
const shortestLeastMs = 20
const shortestMostMs = 60

/** Weight of the newest interval in the average. */
const newest = 0.25

/** A longer interval is a silence: it says nothing of when the next block is due. */
const longestIntervalMs = 4_000

/** Follows the heights a node tells; times are monotonic milliseconds. */
export class HeadRhythm {
  #height = -1
  #newsAt = 0
  /** Between two blocks; 0 before it is known. */
  #intervalMs = 0

  /** The node said `height` at `now`. */
  told(height: number, now: number): void {
    if (height <= this.#height) return
    // Blocks before the first answer are of unknown age.
    if (this.#height >= 0) {
      const mean = (now - this.#newsAt) / (height - this.#height)
      const each = Math.min(longestIntervalMs, mean)
      const isFirst = this.#intervalMs === 0
      this.#intervalMs = isFirst ? each : this.#intervalMs * (1 - newest) + each * newest
    }
    this.#height = height
    this.#newsAt = now
  }

  /** Pause before the next question, with all but `missing` blocks stored. */
  pauseMs(missing: number, now: number): number {
    if (this.#height < 0 || missing > farBehind) return farPauseMs
    if (this.#intervalMs === 0) return longestPauseMs
    const share = this.#intervalMs * shortestShare
    const shortest = Math.min(shortestMostMs, Math.max(shortestLeastMs, share))
    const untilDue = this.#newsAt + this.#intervalMs - now
    // Halfway to the moment the block is due; once it is overdue, ever longer.
    return Math.min(longestPauseMs, Math.max(shortest, Math.abs(untilDue) / 2))
  }
}
