/**
 * Moves the history of a chain into segments as soon as there is enough of it that hashes prove. Traces
 * that come later than this become segments as they are stored (`freeze-at-once.ts`).
 *
 * A store that was written without `index.freeze` has all of its history in tables. It moves by the same steps:
 * between two of them blocks are written.
 */

import { assert, type Fault, faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { MaybePromise, Reader } from '../../../store/engine/database.ts'
import { type FreezeHeights, type Freezing, freezeUntil } from '../../../store/history/freeze.ts'
import type { FreezeSettings } from '../../../store/open.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { quietStream } from '../../stream/round-stream.ts'
import { freezeStreamName, type StageStatus, type Stream } from '../../stream/stage.ts'
import { recount } from '../write/recount.ts'
import { dueLogs, dueSegments } from './due-segments.ts'
import { heightsBelow } from './freeze-at-once.ts'
import { freezeFrom } from './logs-freeze-from.ts'

/** Between two looks: what is stored meanwhile is small beside a segment. */
const lookEveryMs = 10_000

/** All that freezing needs of a chain. */
export type FreezingChain = Omit<OpenChain, 'source'>

/** Which history of a store freezes. */
type Freezable = {
  /** Heights at which the due segments end, in order. */
  readonly due: (reader: Reader, freeze: FreezeSettings, clock: Clock) => Promise<number[]>
  /** The stages up to such a height. */
  readonly below: (reader: Reader, until: number) => MaybePromise<FreezeHeights>
  readonly recount: Freezing['recount']
}

/** Of the store of a chain. */
const chainHistory: Freezable = { due: dueSegments, below: heightsBelow, recount }

/** Of the store of its logs. */
export const logHistory: Freezable = {
  due: async (reader, freeze, clock) =>
    clock.now() < (await freezeFrom(reader)) ? [] : dueLogs(reader, freeze),
  below: (_reader, until) => ({ logs: until }),
  recount: undefined,
}

/** The stream of `freezer`. */
export function freezeStream(freezer: Freezer, clock: Clock): Stream {
  const quiet = quietStream(freezeStreamName, async (signal) => {
    while (!signal.aborted) {
      await freezer.freezeDue(signal)
      await clock.sleep(lookEveryMs, signal)
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...freezer.report() }) }
}

/** Freezes the history of one store. */
export class Freezer {
  readonly #chain: FreezingChain
  readonly #what: Freezable
  readonly #settings: FreezeSettings
  /** Rows that keep history from freezing: who mends them stops this process. */
  #altered: Fault | undefined
  /** Why the last attempt failed, which is made again. */
  #late: string | undefined

  constructor(chain: FreezingChain, settings: FreezeSettings, what = chainHistory) {
    this.#chain = chain
    this.#what = what
    this.#settings = settings
  }

  /** Its part of the status: why history stays in tables. */
  report(): Partial<StageStatus> {
    if (this.#late !== undefined) return { reason: `history stays in tables: ${this.#late}` }
    if (this.#altered === undefined) return {}
    const { message } = this.#altered
    return {
      state: 'off',
      reason: `history stays in tables: ${message}; firn verify --store --repair mends them`,
    }
  }

  /**
   * Makes the segments that are due, one after the other, until `signal` is aborted. Altered rows
   * end this: they stay in tables, and nothing is tried again. Throws faults that no retry mends.
   */
  async freezeDue(signal: AbortSignal): Promise<void> {
    const { log, key } = this.#chain
    try {
      while (
        this.#altered === undefined &&
        !signal.aborted &&
        (await freezeNext(this.#chain, this.#settings, this.#what))
      );
      this.#late = undefined
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code === 'rows-altered') {
        this.holdUp(fault)
        return
      }
      if (fault?.retryable !== true) throw error
      this.#late = fault.message
      log.warn('history was not frozen', { chain: key, reason: fault.message })
    }
  }

  /** Freezes nothing more: the rows that `fault` names were altered. */
  holdUp(fault: Fault): void {
    const { log, key } = this.#chain
    log.error('history stays in tables', {
      chain: key,
      reason: fault.message,
      ...fault.detail,
    })
    this.#altered = fault
  }
}

/**
 * Makes one segment, where there is enough history for it; returns whether it did. Faults as
 * `freezeUntil`.
 */
export async function freezeNext(
  { key, database, log, clock, commit }: FreezingChain,
  freeze: FreezeSettings,
  what = chainHistory,
): Promise<boolean> {
  // A look without the lease, so that nothing is held up while there is nothing to do.
  if ((await what.due(database, freeze, clock)).length === 0) return false
  const began = clock.monotonic()
  const made = await commit(async (writer) => {
    const due = await what.due(writer, freeze, clock)
    const [until] = due
    if (until === undefined) return undefined
    const history = database.history
    assert(history !== undefined, 'the store of a deployment that freezes has segments')
    const heights = await what.below(writer, until)
    const segments = await freezeUntil({ writer, history, recount: what.recount }, heights)
    return { segments, left: due.length - 1 }
  })
  if (made === undefined) return false
  const elapsedMs = Math.round(clock.monotonic() - began)
  for (const { stage, from, until, name } of made.segments)
    log.info('history frozen', {
      chain: key,
      stage,
      from,
      until,
      segment: name,
      elapsedMs,
      left: made.left,
    })
  return true
}
