/** Speed of a stage and the time it still needs. */

import type { Clock } from '../../core/world.ts'

/** Time over which speed is averaged. Shorter jumps with every commit. */
const windowMs = 30_000

/** Marks kept: one per commit, a few a second at most. */
const maxMarks = 256

/** Follows the heights a stage commits. */
export class Progress {
  readonly #clock: Clock
  readonly #marks: { readonly height: number; readonly atMs: number }[] = []
  readonly #startedAt: { readonly height: number; readonly atMs: number }

  constructor(clock: Clock, height: number) {
    this.#clock = clock
    this.#startedAt = { height, atMs: clock.monotonic() }
    this.#marks.push(this.#startedAt)
  }

  /** `height` was committed now. */
  reached(height: number): void {
    const atMs = this.#clock.monotonic()
    this.#marks.push({ height, atMs })
    while (
      this.#marks.length > 2 &&
      (this.#marks.length > maxMarks || atMs - (this.#marks[1]?.atMs ?? atMs) > windowMs)
    )
      this.#marks.shift()
  }

  /** Blocks per second, 0 before the first commit. */
  speed(): number {
    const first = this.#marks[0] ?? this.#startedAt
    const last = this.#marks.at(-1) ?? first
    const seconds = (this.#clock.monotonic() - first.atMs) / 1000
    return seconds <= 0 ? 0 : (last.height - first.height) / seconds
  }

  /** Seconds until `head` at the present speed; `undefined` while nothing moves. */
  eta(head: number): number | undefined {
    const last = this.#marks.at(-1) ?? this.#startedAt
    if (head <= last.height) return 0
    const speed = this.speed()
    return speed > 0 ? Math.ceil((head - last.height) / speed) : undefined
  }
}
