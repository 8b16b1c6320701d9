/**
 * Threads that answer the data API beside the main thread (setting `api.workers`).
 *
 * All listen on one port: the system gives each new connection to one of them, so that no thread
 * hands sockets on and none waits for another. Each reads the stores by itself. What only the main
 * thread knows is sent to them: what the indexing threads report, aliases, and which networks have
 * an aggregator. Rate limits are counted in a store, as over processes.
 */

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'

import type { Aliases } from '../../admin/aliases/alias-rules.ts'
import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { entryFile } from '../../core/installation.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import type { ThreadReport } from '../../indexing/run/status-board.ts'
import { type Call, callerOver, serveCalls } from '../../indexing/stream/port-call.ts'
import type { ConnectionLimits } from '../../store/postgres/server.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ThreadLink, Threads } from '../../telemetry/threads/thread.ts'
import type { Aggregators } from '../warp/aggregators.ts'
import {
  type AggregatorReport,
  aggregatorReport,
  answerAggregations,
} from '../warp/remote-aggregators.ts'

/** Facts of the main thread that every answering thread needs. */
export type MainReport = AggregatorReport & { readonly aliases: Aliases }

/** Messages of the main thread; reports of chains come one by one, the rest whole. */
export type WorkerMessage = { readonly report: ThreadReport } | { readonly main: MainReport }

/** `workerData` of an answering thread. */
export type ApiWorkerData = {
  readonly link: ThreadLink
  /** From 2 on. */
  readonly thread: number
  readonly worldModule: string
  readonly config: Config
  readonly share: ConnectionLimits
  readonly owner: string
  readonly address: { readonly host: string; readonly port: number }
  readonly main: MainReport
  /** Reports from before this thread; absent where this process does not index. */
  readonly report: readonly ThreadReport[] | undefined
  /** For calls to the main thread. */
  readonly toMain: MessagePort
  /** For questions of the main thread: `figures`, `stop`. */
  readonly fromMain: MessagePort
}

type ApiWorkersServices = {
  readonly config: Config
  readonly threads: Threads
  readonly worldModule: string
  readonly share: ConnectionLimits
  readonly owner: string
  readonly clock: Clock
  readonly log: Log
  readonly aggregators: Aggregators
  readonly aliases: { readonly all: () => Aliases }
  /** Reports of the indexing threads so far; absent where this process does not index. */
  readonly reports: (() => readonly ThreadReport[]) | undefined
  /** Called when one of the threads ends by itself. */
  readonly failed: (error: unknown) => void
}

/** Threads at work. */
export type ApiWorkers = {
  /** Resolves once every one listens. Rejects with `address-taken`, and faults of stores. */
  readonly ready: Promise<unknown>
  readonly take: (report: ThreadReport) => void
  /** The threads' pages of figures; for a busy thread its last ones. */
  readonly figures: () => Promise<readonly string[]>
  /** Lets what is under way end, for {@link stopTimeoutMs} at most. */
  readonly close: () => Promise<void>
}

/** An alias or an aggregator is known to all threads after this time. */
const reportEveryMs = 200
const figuresTimeoutMs = 200
/** Stores are opened, modules loaded: seconds on a busy machine. */
const startTimeoutMs = 60_000
/** Longer than a server waits for answers under way. */
const stopTimeoutMs = 10_000

type Started = { readonly worker: Worker; readonly call: Call; figures: string }

/** Starts all but the main thread. */
export function startApiWorkers(
  address: ApiWorkerData['address'],
  services: ApiWorkersServices,
): ApiWorkers {
  const { config, clock, aggregators, aliases } = services
  const over = new AbortController()
  const started: Started[] = []
  const mainReport = (): MainReport => ({
    ...aggregatorReport(aggregators),
    aliases: aliases.all(),
  })
  const send = (message: WorkerMessage): void => {
    for (const { worker } of started) worker.postMessage(message)
  }
  const close = async (): Promise<void> => {
    over.abort()
    await Promise.all(
      started.map(async ({ worker, call }) => {
        if (worker.threadId < 0) return
        const gone = new Promise((resolve) => worker.once('exit', resolve))
        void call('stop', undefined).catch(() => undefined)
        await inTime(gone, { clock, ms: stopTimeoutMs, late: () => worker.terminate() })
      }),
    )
  }
  for (let thread = 2; thread <= config['api.workers']; thread++)
    started.push(start(thread, { address, main: mainReport(), services, signal: over.signal }))
  if (started.length > 0) void sendMainReports(mainReport, send, clock, over.signal)
  return {
    ready: Promise.all(started.map(({ call, worker }) => listening(call, worker, clock))),
    take: (report) => send({ report }),
    figures: () =>
      Promise.all(
        started.map(async (one) => {
          const text = await inTime(one.call('figures', undefined), { clock, ms: figuresTimeoutMs })
          if (typeof text === 'string') one.figures = text
          return one.figures
        }),
      ),
    close,
  }
}

function start(
  thread: number,
  {
    address,
    main,
    services,
    signal,
  }: {
    readonly address: ApiWorkerData['address']
    readonly main: MainReport
    readonly services: ApiWorkersServices
    readonly signal: AbortSignal
  },
): Started {
  const { config, worldModule, share, owner, log } = services
  const name = `api ${thread}`
  const link = services.threads.open(name)
  const [questions, orders] = [new MessageChannel(), new MessageChannel()]
  serveCalls(questions.port1, answerAggregations(services.aggregators))
  const [toMain, fromMain] = [questions.port2, orders.port2]
  const report = services.reports?.()
  const known = { thread, worldModule, config, share, owner, address, main, report }
  const worker = new Worker(entryFile('service/answering/api-worker'), {
    name,
    workerData: { link, toMain, fromMain, ...known } satisfies ApiWorkerData,
    transferList: [link.port, toMain, fromMain],
  })
  worker.on('error', (error) => {
    log.error('thread failed', { thread: name, error })
    if (!signal.aborted) services.failed(error)
  })
  worker.on('exit', (code) => {
    if (!signal.aborted) services.failed(new Fault('store-failed', `thread ended: ${name} ${code}`))
  })
  // Ports that listen must not keep the process alive.
  questions.port1.unref()
  const call = callerOver(orders.port1)
  orders.port1.unref()
  return { worker, call, figures: '' }
}

/** Resolves once a thread listens. */
async function listening(call: Call, worker: Worker, clock: Clock): Promise<void> {
  const late = async (): Promise<never> => {
    await worker.terminate()
    throw new Fault('store-failed', 'a thread of the data API did not start in time')
  }
  await inTime(call('listen', undefined), { clock, ms: startTimeoutMs, late })
}

/** Sends every thread what changed of that which only the main thread knows. */
async function sendMainReports(
  mainReport: () => MainReport,
  send: (message: WorkerMessage) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (let last = ''; !signal.aborted;) {
    const main = mainReport()
    const text = JSON.stringify(main)
    if (text !== last) send({ main })
    last = text
    await clock.sleep(reportEveryMs, signal).catch(() => undefined)
  }
}
