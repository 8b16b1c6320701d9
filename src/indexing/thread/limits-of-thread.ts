/** The part of a process's limits that one of the threads has which read blocks. */

import type { SourceLimits } from '../stream/chain-spec.ts'

/** Limits of the process, and the number of threads that read blocks in it. */
export type ReadingThreads = {
  readonly limits: SourceLimits
  /** The decoder and those beside it; from 1 on. */
  readonly workers: number
}

/** Threads that read blocks: never more than requests that a node may be asked at once. */
export function readingThreads({ limits, workers }: ReadingThreads): number {
  return Math.min(workers, limits.maxInFlight)
}

/**
 * Limits of one thread. Each has connections of its own to every node, so that each may have its part of
 * the requests that a node is asked at once: all together no more than `maxInFlight`.
 */
export function limitsOfThread(of: ReadingThreads): SourceLimits {
  const { limits } = of
  return { ...limits, maxInFlight: Math.floor(limits.maxInFlight / readingThreads(of)) }
}

/** Threads that make segments beside the one that writes: none where one thread reads. */
export function segmentThreads({ workers }: Pick<ReadingThreads, 'workers'>): number {
  return workers === 1 ? 0 : workers
}
