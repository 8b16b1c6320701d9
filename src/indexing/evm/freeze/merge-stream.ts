/**
 * Merges the segments of a chain's history beside its indexing, in a thread of its own or at a bounded
 * share of this one, and holds indexing up where it makes segments faster than they are merged.
 */

import { assert, faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database, Writer } from '../../../store/engine/database.ts'
import { type History, historyOf } from '../../../store/history/history.ts'
import type { MergeFiles } from '../../../store/history/merge-files.ts'
import { mergeDue } from '../../../store/history/merge-segments.ts'
import type { Log } from '../../../telemetry/log.ts'
import { quietStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'

/** Pause between two looks while nothing is due. */
const lookEveryMs = 5_000
/** Pause after a merge: files that it replaced are taken away then, and another may be due. */
const afterMergeMs = 1_000
/** Pause after a merge that failed: trying at once mends no full disk and no damaged segment. */
const afterFaultMs = 600_000
/** Work between two pauses, and milliseconds of pause for each of work: a third of the thread. */
const sliceMs = 20
const pauseShare = 2

/** Number of segments from which on a store takes no batch: each is an open file and some memory. */
const mostWaiting = 512

/** Resolves when a store has room for another segment. Rejects when `signal` is aborted. */
export async function roomForSegments(
  { database, spec, clock, log }: Pick<MergeParts, 'database' | 'spec' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const history = historyOf(database)
  if (history === undefined || history.known.segments.length < mostWaiting) return
  log.info('blocks wait until segments are merged', { chain: spec.key, segments: mostWaiting })
  while (history.known.segments.length >= mostWaiting) {
    await clock.sleep(afterMergeMs, signal)
    await history.manifest(database)
  }
}

/** Parts of merging. */
export type MergeParts = {
  readonly database: Database
  readonly spec: { readonly key: string }
  readonly clock: Clock
  readonly log: Log
  /** Writes merged files beside this thread; it does so itself, in slices, where that is absent. */
  readonly merge?: MergeFiles | undefined
  /** Does work in one transaction, under the lease, when no batch is being written. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
}

/** The stream that merges the segments of a chain. */
export function mergeStream(parts: MergeParts): Stream {
  const { database, clock, log, spec } = parts
  return quietStream('merge', async (signal) => {
    const history = historyOf(database)
    assert(history !== undefined, 'the store of a deployment that freezes has segments')
    // Files that a process left which was killed before its commit.
    let hasUnnamed = true
    while (!signal.aborted) {
      let waitMs = lookEveryMs
      try {
        if (hasUnnamed) await removeUnnamed(history, parts)
        hasUnnamed = await mergeNext(history, parts, signal)
        if (hasUnnamed) waitMs = afterMergeMs
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.retryable !== true) throw error
        log.warn('segments were not merged', { chain: spec.key, reason: fault.message })
        hasUnnamed = true
        waitMs = afterFaultMs
      }
      await clock.sleep(waitMs, signal)
    }
  })
}

async function removeUnnamed(history: History, { commit }: MergeParts): Promise<void> {
  await commit((writer) => history.removeUnnamed(writer))
}

/** Merges once; returns whether anything was due. */
async function mergeNext(
  history: History,
  parts: MergeParts,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, commit, clock, log, spec, merge } = parts
  const began = clock.monotonic()
  let sliceBegan = began
  const pause = async (): Promise<void> => {
    const workedMs = clock.monotonic() - sliceBegan
    if (workedMs < sliceMs) return
    await clock.sleep(workedMs * pauseShare, signal)
    signal.throwIfAborted()
    sliceBegan = clock.monotonic()
  }
  const made = await mergeDue({ reader: database, history, pause, commit, write: merge })
  if (made === undefined) return false
  const { from, until, name, tier } = made
  const elapsedMs = Math.round(clock.monotonic() - began)
  log.info('segments merged', { chain: spec.key, from, until, segment: name, tier, elapsedMs })
  return true
}
