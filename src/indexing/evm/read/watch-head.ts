/** Asks a chain's source for its head, as often as it is worth. */

import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import { HeadRhythm } from './head-rhythm.ts'

/** Parts that watching needs. `blocks` are those of the chain as they are read. */
export type HeadWatchParts = {
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
}

/** After so many in a row a chain is no longer called live: one alone is ordinary. */
const headFailures = 2

/** Pause after a question that failed. */
const failurePauseMs = 1_000

/** Tells `blocks` the head until `signal` is aborted. Throws `source-mismatch`, and bugs. */
export async function watchHead(parts: HeadWatchParts, signal: AbortSignal): Promise<void> {
  const { source, blocks, looked, clock, log } = parts
  const rhythm = new HeadRhythm()
  let failures = 0
  while (!signal.aborted) {
    let pauseMs = failurePauseMs
    try {
      const height = await source.headHeight(signal)
      const now = clock.monotonic()
      blocks.setHead(height)
      rhythm.told(height, now)
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
    await slept(clock, pauseMs, signal)
  }
}

/** Sleeps; an abort ends it early and is no error. */
async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
