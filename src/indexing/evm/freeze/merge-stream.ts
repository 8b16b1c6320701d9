/**
 * Merges the segments of a chain's history beside its indexing, in a thread of its own or at a bounded
 * share of this one, and holds indexing up where it makes segments faster than they are merged.
 */

import { assert, faultOf } from '../../../core/fault.ts'
import { type History } from '../../../store/history/history.ts'
import { segmentsOf } from '../../../store/history/manifest.ts'
import type { MergeFiles } from '../../../store/history/merge-files.ts'
import { forgetLost, mergeDue, segmentsWaiting } from '../../../store/history/merge-segments.ts'
import { historyStages } from '../../../store/schema/table.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { quietStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'

/** Pause between two looks while nothing is due. */
const lookEveryMs = 5_000
/** Pause after a merge: another may be due. */
const afterMergeMs = 1_000
/** Pause after a failed merge: an immediate retry mends no full disk and no damaged segment. */
const afterFaultMs = 600_000
/** Work between two pauses, and milliseconds of pause for each of work: a third of the thread. */
const sliceMs = 20
const pauseShare = 2

/** From this number of segments that wait to be merged on a store takes no batch: each is an open file and some memory. */
const mostWaiting = 512

/** All that merging needs of a chain. */
type MergingChain = Omit<OpenChain, 'source'>

/** Resolves when a store has room for another segment. Rejects when `signal` is aborted. */
export async function roomForSegments(
  { key, database, clock, log }: MergingChain,
  signal: AbortSignal,
): Promise<void> {
  const history = database.history
  if (history === undefined || waiting(history) < mostWaiting) return
  log.info('blocks wait until segments are merged', { chain: key, segments: mostWaiting })
  while (waiting(history) >= mostWaiting) {
    await clock.sleep(afterMergeMs, signal)
    await history.manifest(database)
  }
}

function waiting({ known, fileBytes }: History): number {
  const counts = historyStages.map((stage) => segmentsWaiting(segmentsOf(known, stage), fileBytes))
  return counts.reduce((sum, count) => sum + count)
}

/**
 * The stream that merges the segments of a chain. `merge` writes merged files beside this thread; where it
 * is absent, this one writes them, in slices.
 */
export function mergeStream(chain: MergingChain, merge?: MergeFiles): Stream {
  const { key, database, clock, log, commit } = chain
  return quietStream('merge', async (signal) => {
    const history = database.history
    assert(history !== undefined, 'the store of a deployment that freezes has segments')
    let mayBeLost = true
    while (!signal.aborted) {
      let waitMs = lookEveryMs
      try {
        if (mayBeLost) await forgetLost({ reader: database, history, commit })
        mayBeLost = false
        if (await history.folder.hasOverdue(database, clock.monotonic()))
          await commit((writer) => history.folder.removeOverdue(writer))
        if (await mergeNext(chain, history, { merge, signal })) waitMs = afterMergeMs
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.retryable !== true) throw error
        log.warn('segments were not merged', { chain: key, reason: fault.message })
        waitMs = afterFaultMs
        mayBeLost = true
      }
      await clock.sleep(waitMs, signal)
    }
  })
}

/** Merges once; returns whether anything was due. */
async function mergeNext(
  { key, database, commit, clock, log }: MergingChain,
  history: History,
  { merge, signal }: { readonly merge: MergeFiles | undefined; readonly signal: AbortSignal },
): Promise<boolean> {
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
  log.info('segments merged', { chain: key, from, until, segment: name, tier, elapsedMs })
  return true
}
