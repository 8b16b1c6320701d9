/**
 * Merges segments in a thread of its own, one job after the other, so that the writer goes on meanwhile.
 *
 * The thread starts and ends with its job: near the head there is one in hours. The calling thread
 * does a small job itself, which takes less time than the start of another thread.
 */

import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

import { Fault } from '../../../core/fault.ts'
import { entryFile } from '../../../core/installation.ts'
import { WorkQueue } from '../../../core/waiting.ts'
import {
  type MadeFile,
  type MergeFiles,
  mergeFiles,
  type MergeJob,
} from '../../../store/history/merge-files.ts'
import { callerOver } from '../../stream/port-call.ts'

/** Bytes of all sources up to which a job is small: it takes some tens of milliseconds. */
const usualSmallBytes = 4_194_304

/** Old heap of the thread, MiB: a merge holds some thousand rows. */
const heapMib = 256

/**
 * A way of merging for all chains of a process; jobs end when `signal` is aborted. Sources of at most
 * `smallBytes` together are merged by the calling thread.
 */
export function mergingThread(signal: AbortSignal, smallBytes = usualSmallBytes): MergeFiles {
  const queue = new WorkQueue()
  return (job, pause) =>
    bytesOf(job) <= smallBytes
      ? mergeFiles(job, pause)
      : queue.run(() => {
          signal.throwIfAborted()
          return merged(job, signal)
        })
}

function bytesOf({ sources }: MergeJob): number {
  const sizes = sources.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function merged(job: MergeJob, signal: AbortSignal): Promise<readonly MadeFile[]> {
  const worker = new Worker(entryFile('indexing/evm/freeze/merge-worker'), {
    name: 'merge',
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  })
  const ended = new AbortController()
  const end = (cause?: unknown): void =>
    ended.abort(new Fault('store-failed', 'the thread that merges segments ended', { cause }))
  worker.once('error', end)
  worker.once('exit', () => end())
  try {
    const call = callerOver(worker, AbortSignal.any([signal, ended.signal]))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by merge-worker.ts
    return (await call('merge', job)) as readonly MadeFile[]
  } finally {
    await worker.terminate()
  }
}
