/**
 * Who makes segments for the thread that writes: threads beside it and other machines. Each segment is made by
 * the one that has least to do, and by the writing thread where another fails: none of them is needed.
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
    this.#underWay.set(other, this.#loadOf(other) + 1)
    try {
      return await other.make(job)
    } catch (error) {
      const fault = faultOf(error)
      if (fault !== undefined && ownFaults.has(fault.code)) throw error
      const { from, until } = job.subject
      this.#parts.log.warn('segment was not made elsewhere', {
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
      const load = this.#loadOf(other) / other.window(now)
      // Nothing by nothing, of one that is left alone, is no number.
      if (!(load < least)) continue
      freest = other
      least = load
    }
    return freest
  }

  #loadOf(other: OtherMaker): number {
    return this.#underWay.get(other) ?? 0
  }
}
