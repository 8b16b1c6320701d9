/** Streams that do their work in rounds, and those that show no status. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { idleStatus, type StageStatus, type Stream } from './stage.ts'

/** Result of a round. */
export type Round = {
  /** The height up to which the work is done; -1 where none is done yet. */
  readonly height: number
  /** There may be more to do at once. */
  readonly isBusy: boolean
  /** All that can be done now is done. */
  readonly isLive: boolean
  /** Reason why a part of the work waits. */
  readonly reason?: string | undefined
  /** Returns whether there may be something to do since. The next round waits for it, or for {@link longestRestMs}. */
  readonly isWoken?: () => Promise<boolean>
}

/**
 * Pause when there was nothing to do, and after a failure: less than the 4 s after which a
 * lease that stands still is lost, since rounds may be what renews it.
 */
const idlePauseMs = 1_000
/** Longest time without a round: some work is due at a time. */
const longestRestMs = 10_000
const failurePauseMs = 3_000

/**
 * A stream of `round`s, which closes what they opened when it ends. A fault is shown in the status and
 * the round is tried again; what is no fault ends the stream.
 */
export function roundStream(
  name: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  round: (signal: AbortSignal) => Promise<Round>,
  close: () => Promise<void> = async () => {},
): Stream {
  let status: StageStatus = idleStatus(name)
  let roundAtMs = Number.NEGATIVE_INFINITY
  let isWoken: (() => Promise<boolean>) | undefined
  /** Until all that rest look again, at the same moment: together they ask one question of a server. */
  const untilLookMs = (): number => idlePauseMs - (clock.monotonic() % idlePauseMs)
  /** Does one round, or none where nothing is to be done. Returns the pause after it. */
  const step = async (signal: AbortSignal): Promise<number> => {
    try {
      const restedMs = clock.monotonic() - roundAtMs
      if (isWoken !== undefined && restedMs < longestRestMs && !(await isWoken()))
        return untilLookMs()
      roundAtMs = clock.monotonic()
      const { height, isBusy, isLive, reason, isWoken: wakes } = await round(signal)
      isWoken = isLive && !isBusy ? wakes : undefined
      status = {
        ...idleStatus(name),
        state: isLive ? 'live' : 'syncing',
        indexedHeight: height,
        headHeight: height,
        reason,
      }
      return isBusy ? 0 : untilLookMs()
    } catch (error) {
      isWoken = undefined
      if (signal.aborted) return 0
      const fault = faultOf(error)
      const reason = fault?.message ?? 'it broke; see the log'
      status = { ...status, state: fault === undefined ? 'stopped' : 'syncing', reason }
      if (fault === undefined) throw error
      log.debug('round failed', { stage: name, code: fault.code, reason })
      return failurePauseMs
    }
  }
  return {
    name,
    status: () => status,
    run: async (signal) => {
      try {
        while (!signal.aborted) {
          const pauseMs = await step(signal)
          await clock.sleep(pauseMs, signal).catch((error: unknown) => {
            if (!signal.aborted) throw error
          })
        }
      } finally {
        await close()
      }
    },
  }
}

/** A stream that shows no status: its failures are those of its store or node. */
export function quietStream(name: string, work: (signal: AbortSignal) => Promise<void>): Stream {
  let state: StageStatus = { ...idleStatus(name), state: 'live' }
  return {
    name,
    status: () => state,
    run: async (signal) => {
      try {
        await work(signal)
      } catch (error) {
        if (signal.aborted) return
        const reason = faultOf(error)?.message ?? 'it broke; see the log'
        state = { ...state, state: 'off', reason }
      }
    },
  }
}
