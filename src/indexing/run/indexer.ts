/**
 * Starts and stops the threads that index, and knows how far each chain is.
 *
 * One thread fetches and decodes every EVM chain, one writes every store: the thread that serves
 * HTTP does neither. Batches go from the one to the other without a copy and without passing
 * here. The threads are given the URL of the module that opens the outside world, because a
 * world's functions cannot cross.
 */

import { MessageChannel, type ResourceLimits, Worker, type MessagePort } from 'node:worker_threads'

import { Fault } from '../../core/fault.ts'
import { entryFile } from '../../core/installation.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import type { BucketSettings } from '../../store/bucket/open-bucket.ts'
import type { StoreLocation } from '../../store/open.ts'
import type { ConnectionLimits } from '../../store/postgres/server.ts'
import { turn } from '../../store/sqlite/turn.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ThreadLink, Threads } from '../../telemetry/threads/thread.ts'
import type { ChainSpec, SourceLimits } from '../stream/chain-spec.ts'
import { SteadyProgress } from '../stream/overall-progress.ts'
import type { StageStatus } from '../stream/stage.ts'
import type { StreamSpec } from '../stream/stream-spec.ts'
import {
  type StatusBoardOptions,
  type ChainStatus,
  StatusBoard,
  type ThreadReport,
} from './status-board.ts'

/** All that indexing takes of the process. */
export type IndexerOptions = {
  readonly chains: readonly ChainSpec[]
  /** Work beside the EVM chains: the primary networks, messages. */
  readonly streams: readonly StreamSpec[]
  readonly store: StoreLocation
  /** Where its segments are kept, if that is a bucket. */
  readonly bucket: BucketSettings | undefined
  /** Connections of each thread to PostgreSQL. */
  readonly shares: Readonly<Record<ThreadName, ConnectionLimits>>
  readonly limits: SourceLimits
  /** Names this process in leases, and no other. */
  readonly owner: string
  /** Milliseconds for which events for webhooks are kept. */
  readonly keepEventsMs: number
  /** URL of a module that exports `openWorld(): World`. */
  readonly worldModule: string
  readonly clock: Clock
  readonly threads: Threads
  readonly gauges: Gauges
  readonly log: Log
  /** Called with what the threads report, besides {@link Indexer.status}. */
  readonly reported?: (report: ThreadReport) => void
  /** Called once when a thread ends by itself: nothing is indexed any more. */
  readonly failed: (error: unknown) => void
}

/** Progress of each chain and stream, as the indexing threads reported it. */
export type IndexingStatus = {
  readonly status: () => readonly ChainStatus[]
  /** Keys of stores that hold another chain or network than the one configured. */
  readonly foreign: () => ReadonlySet<string>
  /** One stage of a chain or stream, without the cost of the whole status. */
  readonly stage: (key: string, stage: string) => StageStatus | undefined
}

/** Threads that index, once they are started. */
export type Indexer = IndexingStatus & {
  /** Starts the threads. Failures show in the status. */
  readonly start: () => void
  /** Commits what is under way and closes the stores; {@link stopTimeoutMs} a thread at most. */
  readonly stop: () => Promise<void>
}

/** Work of both threads. */
export type ThreadWork = {
  readonly chains: readonly ChainSpec[]
  readonly streams: readonly StreamSpec[]
  readonly store: StoreLocation
  readonly limits: SourceLimits
  readonly owner: string
  readonly keepEventsMs: number
}

/** `workerData` of both threads. */
export type ThreadData = ThreadWork & {
  readonly bucket: BucketSettings | undefined
  readonly link: ThreadLink
  readonly worldModule: string
  readonly port: MessagePort
}

/** The one message of the main thread to the others. */
export const stopWord = 'stop'

/** A batch under way is committed within this time; afterwards the threads are ended. */
const stopTimeoutMs = 10_000

/**
 * Young heap of each worker thread, MiB. The decoder's must hold what a reply of a node is parsed
 * into; the writer makes little, and what dies young there holds the buffers of batches: with V8's
 * 48 it was no faster and the process 50 MiB larger.
 */
const youngHeapMib = { decoder: 32, writer: 24 } as const
/**
 * Where no reply of a node is parsed: by peers alone a replay took a twelfth less, and 6 % more
 * time.
 */
const youngHeapByPeersMib = { decoder: 16, writer: 8 } as const

type ThreadName = keyof typeof youngHeapMib

/**
 * Old heap of each, MiB. V8 lets garbage grow the more, the larger this is: with its own limit, a
 * quarter of the machine's memory, a replay took 445 MiB, with this 408.
 */
const oldHeapMib = 1_024
/** Bytes of old heap for a byte of the longest reply, which is parsed at once. */
const heapPerReplyByte = 16

/** Heaps of a worker thread; `maxReplyBytes` is 0 where all blocks come from peers. */
export function heapLimits(name: ThreadName, maxReplyBytes: number): ResourceLimits {
  if (maxReplyBytes === 0) {
    return {
      maxYoungGenerationSizeMb: youngHeapByPeersMib[name],
      maxOldGenerationSizeMb: oldHeapMib / 2,
    }
  }
  const repliesMib = Math.ceil((heapPerReplyByte * maxReplyBytes) / 2 ** 20)
  return {
    maxYoungGenerationSizeMb: youngHeapMib[name],
    maxOldGenerationSizeMb: Math.max(oldHeapMib, repliesMib),
  }
}

/** Keeps the last status of every chain; `take` is given all of them. */
export function followReports(
  of: StatusBoardOptions,
): IndexingStatus & { readonly take: (report: ThreadReport) => void } {
  const board = new StatusBoard(of)
  const steady = new SteadyProgress()
  return {
    take: (report) => {
      turn.end()
      board.take(report)
    },
    status: () =>
      board.all().map((chain) => ({ ...chain, overall: steady.of(chain.key, chain.stages) })),
    foreign: () => board.foreign,
    stage: (key, stage) => board.stage(key, stage),
  }
}

/** Makes the indexer of this process; no thread runs yet. */
export function createIndexer(options: IndexerOptions): Indexer {
  const { take, ...status } = followReports(options)
  const running: Worker[] = []
  let stopping = false
  const hasNode =
    options.chains.length > 0 ||
    options.streams.some((one) => one.kind === 'primary' && one.nodeUrl !== '')
  const startThread = (name: ThreadName, port: MessagePort): Worker => {
    const link = options.threads.open(name)
    const data: ThreadData = {
      link,
      port,
      worldModule: options.worldModule,
      chains: options.chains,
      streams: options.streams,
      store: { ...options.store, connections: options.shares[name] },
      bucket: options.bucket,
      limits: options.limits,
      owner: options.owner,
      keepEventsMs: options.keepEventsMs,
    }
    const worker = new Worker(entryFile(`indexing/run/${name}-worker`), {
      name,
      workerData: data,
      transferList: [link.port, port],
      resourceLimits: heapLimits(name, hasNode ? options.limits.maxReplyBytes : 0),
    })
    worker.on('message', (report: ThreadReport) => {
      take(report)
      options.reported?.(report)
    })
    worker.on('error', (error) => {
      options.log.error('thread failed', { thread: name, error })
      if (!stopping) options.failed(error)
    })
    worker.on('exit', (code) => {
      if (!stopping) options.failed(new Fault('store-failed', `thread ended: ${name} ${code}`))
    })
    return worker
  }
  return {
    ...status,
    start: () => {
      const { port1, port2 } = new MessageChannel()
      running.push(startThread('writer', port2), startThread('decoder', port1))
    },
    stop: async () => {
      stopping = true
      // The writer ends last: it commits what the decoder made.
      for (const worker of running.toReversed()) await ended(worker, options.clock)
    },
  }
}

/** Stops a thread and waits for its end; ends it by force when that takes too long. */
async function ended(worker: Worker, clock: Clock): Promise<void> {
  // An ended thread has no id any more, and no more events.
  if (worker.threadId < 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.once('exit', () => resolve())
  worker.postMessage(stopWord)
  await inTime(promise, { clock, ms: stopTimeoutMs, late: () => worker.terminate() })
}
