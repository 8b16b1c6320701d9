/** Messages between the threads of `primary-replay.ts`. */

import type { MessagePort } from 'node:worker_threads'

/** Key of the store. */
export const benchKey = 'primary-bench'

/** The chain that is replayed. */
export type ReplayTask = {
  readonly folder: string
  readonly blocks: string
  /** The writing thread. */
  readonly port: MessagePort
}

/** Where it is written. */
export type WriteTask = Pick<ReplayTask, 'folder' | 'port'>

/** Rows that were written, and the processor time of the thread. */
export type Written = { readonly sizeBytes: number; readonly workedUs: number }

/** Result: time by the clock, and processor time of the thread and of the process. */
export type Replayed = {
  readonly height: number
  readonly tookMs: number
  readonly workedUs: number
  readonly processUs: number
}
