/**
 * The beginning of both worker threads: they join the process, open the world, and hear when to
 * stop.
 */

import { flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

import { assert } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { openBucket } from '../../store/bucket/open-bucket.ts'
import type { Log } from '../../telemetry/log.ts'
import { joinThread } from '../../telemetry/threads/thread.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'
import type { Port } from '../stream/port-call.ts'
import { stopWord, type ThreadData, type ThreadWork } from './indexer.ts'
import type { ThreadReport } from './status-board.ts'

/** Tools of a worker thread. */
export type WorkerThread = {
  /** Its work, and its port to the other thread. */
  readonly data: ThreadWork & { readonly port: Port }
  readonly world: World
  readonly log: Log
  /** Where this thread's waits for others are recorded. */
  readonly waits: Waits
  /** Aborted when the process stops. */
  readonly signal: AbortSignal
  /** Resolves when the signal is aborted. */
  readonly stopped: Promise<void>
  readonly send: (report: ThreadReport) => void
}

/** Reports of one chain go out at most this often, except when a state changes. */
const reportEveryMs = 200

/** Call once, first of all; `leave` ends the thread once everything is closed. */
export async function enterThread(): Promise<WorkerThread & { readonly leave: () => void }> {
  const port = parentPort
  assert(port !== null, 'this file is the entry of a worker thread')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by startIndexer of this version
  const data = workerData as ThreadData
  const module: { openWorld: () => World } = await import(data.worldModule)
  const world = module.openWorld()
  const { log, waits } = joinThread(data.link, () => world.clock.monotonic())
  // A process that is killed would leave the next start without what this thread compiled.
  flushCompileCache()
  const stopping = new AbortController()
  const bucket = data.bucket && openBucket(data.bucket, world, stopping.signal)
  const stopped = Promise.withResolvers<void>()
  port.on('message', (word: unknown) => {
    if (word !== stopWord) return
    stopping.abort()
    stopped.resolve()
  })
  return {
    data: { ...data, store: { ...data.store, bucket } },
    world,
    log,
    waits,
    signal: stopping.signal,
    stopped: stopped.promise,
    send: limitedReports(world, (report) => port.postMessage(report)),
    leave: () => {
      port.close()
      data.port.close()
      data.link.port.close()
    },
  }
}

/** Passes reports on, the newest of each chain, not more often than anyone can read. */
function limitedReports(
  world: World,
  post: (report: ThreadReport) => void,
): (report: ThreadReport) => void {
  const last = new Map<string, { atMs: number; states: string }>()
  const waiting = new Map<string, ThreadReport>()
  return (report) => {
    const now = world.clock.monotonic()
    const states = report.stages.map(({ state, reason }) => `${state} ${reason}`).join()
    const before = last.get(report.key)
    if (before === undefined || before.states !== states || now - before.atMs >= reportEveryMs) {
      last.set(report.key, { atMs: now, states })
      waiting.delete(report.key)
      post(report)
      return
    }
    const alone = !waiting.has(report.key)
    waiting.set(report.key, report)
    if (!alone) return
    void world.clock.sleep(reportEveryMs).then(() => {
      const latest = waiting.get(report.key)
      if (latest === undefined) return
      waiting.delete(report.key)
      last.set(report.key, { atMs: world.clock.monotonic(), states })
      post(latest)
    })
  }
}
