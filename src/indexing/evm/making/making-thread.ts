/** Threads that make segments for the thread that writes, while batches of a backfill come. */

import { Worker } from 'node:worker_threads'

import { entryFile } from '../../../core/installation.ts'
import type { Clock } from '../../../core/world.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { ClosingPort } from '../../thread/port-call.ts'
import { SpareThread } from '../../thread/spare-thread.ts'
import type { OtherMaker } from './segment-makers.ts'

/** Old heap of a thread, MiB: it holds the rows of one batch, and what they are packed into. */
const heapMib = 512
/** Young heap: what dies young holds the buffers of a batch. */
const youngMib = 24

/** A thread that takes longer for a segment hangs: some ten times what a slow machine takes. */
const answerMs = 120_000

/** So many threads; none runs before it is asked. They end with `signal`. */
export function makingThreads(
  count: number,
  parts: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): OtherMaker[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `segment-maker ${at + 1}`
    const failed = (): void => undefined
    const thread = new SpareThread({ ...parts, name, start: startThread, failed, answerMs })
    return {
      window: (now) => (thread.takes(now) ? 1 : 0),
      make: async (job) => String(await thread.ask('make', job)),
    }
  })
}

function startThread(name: string): ClosingPort {
  const worker = new Worker(entryFile('indexing/evm/making/making-worker'), {
    name,
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
  })
  // Its end tells the same.
  worker.on('error', () => undefined)
  return {
    postMessage: (value, transfer) => worker.postMessage(value, transfer),
    on: (event, receive) => worker.on(event, receive),
    once: (_event, closed) => worker.once('exit', () => closed()),
    close: () => void worker.terminate(),
  }
}
