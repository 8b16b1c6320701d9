/**
 * Who makes segments for the thread that writes: threads beside it and other machines. Each segment is made by
 * the one that is expected to be done first, and by the writing thread where another fails: none of them is
 * needed.
 */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { Log } from '../../../telemetry/log.ts'
import { type MakeSegment, makeSegment } from './make-segment.ts'

/** One that makes segments. */
export type OtherMaker = {
  /** Segments that it makes at once, at monotonic `now`; 0 while it is left alone. */
  readonly window: (now: number) => number
  /** Throws what `makeSegment` throws, and whatever kept it from making the segment. */
  readonly make: MakeSegment
}

/** Faults of the segment itself, whoever makes it. */
const ownFaults: ReadonlySet<string> = new Set(['source-mismatch', 'store-full', 'store-failed'])

/** All that make segments for the chains of one process. */
export class SegmentMakers {
  readonly #others: readonly OtherMaker[]
  readonly #parts: { readonly clock: Clock; readonly log: Log }
  readonly #underWay = new Map<OtherMaker, number>()
  /** Milliseconds that each took for a segment, newer ones weighing more. */
  readonly #usual = new Map<OtherMaker, number>()

  constructor(others: readonly OtherMaker[], parts: { readonly clock: Clock; readonly log: Log }) {
    this.#others = others
    this.#parts = parts
  }

  /** Segments that may be made at once; 1 where the thread that writes makes them. */
  atOnce(): number {
    const now = this.#parts.clock.monotonic()
    return Math.max(
      1,
      this.#others.reduce((sum, other) => sum + other.window(now), 0),
    )
  }

  readonly make: MakeSegment = async (job) => {
    const other = this.#freest()
    if (other === undefined) return makeSegment(job)
    const { clock, log } = this.#parts
    const beganMs = clock.monotonic()
    this.#underWay.set(other, this.#loadOf(other) + 1)
    try {
      const name = await other.make(job)
      const tookMs = clock.monotonic() - beganMs
      this.#usual.set(other, ((this.#usual.get(other) ?? tookMs) + tookMs) / 2)
      return name
    } catch (error) {
      const fault = faultOf(error)
      if (fault !== undefined && ownFaults.has(fault.code)) throw error
      const { from, until } = job.subject
      log.warn('segment was not made elsewhere', {
        from,
        until,
        ...(fault === undefined ? { error } : { reason: fault.message }),
      })
      return await makeSegment(job)
    } finally {
      this.#underWay.set(other, this.#loadOf(other) - 1)
    }
  }

  #freest(): OtherMaker | undefined {
    const now = this.#parts.clock.monotonic()
    let freest: OtherMaker | undefined
    let least = Number.POSITIVE_INFINITY
    for (const other of this.#others) {
      const window = other.window(now)
      if (window === 0) continue
      // One that was not tried yet counts as quick.
      const expected = ((this.#loadOf(other) + 1) * (this.#usual.get(other) ?? 1)) / window
      if (expected >= least) continue
      freest = other
      least = expected
    }
    return freest
  }

  #loadOf(other: OtherMaker): number {
    return this.#underWay.get(other) ?? 0
  }
}
