/**
 * Worker threads as part of the process: their logs reach its loggers, its profiles cover them.
 *
 * The main thread opens a link for each worker and hands it over in `workerData`; the worker joins
 * with {@link joinThread} first of all. The main thread keeps all levels and files; a worker only
 * knows the lowest level anyone listens to, through shared memory, so a change is there at once.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads'

import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import { levelRank } from '../log-level.ts'
import type { LogRecord } from '../log-line.ts'
import { createLog, type Log } from '../log.ts'
import type { LogRegistry } from '../logs/log-registry.ts'
import type { ProfileSample } from '../profile/pprof.ts'
import {
  createThreadProfiler,
  framesOfStack,
  type ThreadProfiler,
} from '../profile/thread-profile.ts'
import { plainFields } from '../redact.ts'
import { beat, newHeartbeat, type Heartbeat } from './heartbeat.ts'
import { createWaits, type Waits } from './waits.ts'

/** Data of a worker in `workerData`; `port` must be in the transfer list too. */
export type ThreadLink = {
  readonly name: string
  readonly port: MessagePort
  readonly floor: Int32Array<SharedArrayBuffer>
  readonly heartbeat: Heartbeat
}

/** A question to all threads at once. */
export type ThreadQuestion = 'start-cpu' | 'stop-cpu' | 'watch-heap' | 'heap' | 'waits'

/** Answer of one thread; `late` when it was too busy to answer in time. */
export type ThreadAnswer = {
  readonly thread: string
  readonly samples: readonly ProfileSample[]
  readonly late: boolean
}

/** The threads of the process. */
export type Threads = {
  /** A link for a new worker. Threads come and go; a name may return. */
  readonly open: (name: string) => ThreadLink
  /** Calls the main thread and every worker, and waits for all that answer in time. */
  readonly call: (question: ThreadQuestion) => Promise<readonly ThreadAnswer[]>
  /** Follows the heartbeats of the workers that are there, now and whenever one comes or goes. */
  readonly followHeartbeats: (take: (beats: readonly Heartbeat[]) => void) => void
}

/** Tools of a thread that has joined. */
export type JoinedThread = { readonly log: Log; readonly waits: Waits }

/** Of the main thread among the heartbeats of a process. */
export const mainThreadId = 0

// A worker in the middle of a long batch answers when it comes up for air.
const answerTimeoutMs = 10_000

type Message =
  | { readonly record: Omit<LogRecord, 'time'> }
  | { readonly announce: string }
  | { readonly answer: number; readonly samples: readonly ProfileSample[] }

type Request = { readonly id: number; readonly question: ThreadQuestion }

type Linked = {
  readonly name: string
  readonly heartbeat: Heartbeat
  readonly port: MessagePort
  readonly pending: Map<number, (samples: readonly ProfileSample[]) => void>
}

/** The threads of a process with one so far: the caller's, the main thread. */
export function createThreads(parts: {
  readonly logs: LogRegistry
  readonly waits: Waits
  readonly clock: Clock
}): Threads {
  const { logs, waits, clock } = parts
  const linked = new Set<Linked>()
  const own = answers(createThreadProfiler(), waits)
  const standing = new Set<ThreadQuestion>()
  const followers: ((beats: readonly Heartbeat[]) => void)[] = []
  let lastId = 0
  let lastThread = mainThreadId

  function sendHeartbeats(): void {
    const beats = [...linked].map(({ heartbeat }) => heartbeat)
    for (const take of followers) take(beats)
  }

  function receive(thread: Linked, message: Message): void {
    if ('record' in message) logs.record(message.record)
    else if ('announce' in message) logs.log.child(message.announce)
    else {
      thread.pending.get(message.answer)?.(message.samples)
      thread.pending.delete(message.answer)
    }
  }

  return {
    open: (name) => {
      const { port1, port2 } = new MessageChannel()
      const heartbeat = newHeartbeat(++lastThread, name)
      const thread: Linked = { name, heartbeat, port: port1, pending: new Map() }
      linked.add(thread)
      port1.on('message', (message: Message) => receive(thread, message))
      port1.on('close', () => {
        linked.delete(thread)
        sendHeartbeats()
        for (const resolve of thread.pending.values()) resolve([])
      })
      // A listening port alone must not keep the process alive.
      port1.unref()
      sendHeartbeats()
      if (standing.has('watch-heap')) port1.postMessage({ id: 0, question: 'watch-heap' })
      if (standing.has('start-cpu')) port1.postMessage({ id: 0, question: 'start-cpu' })
      return { name, port: port2, floor: logs.floor, heartbeat }
    },
    call: async (question) => {
      if (question === 'stop-cpu') standing.delete('start-cpu')
      else if (question !== 'heap' && question !== 'waits') standing.add(question)
      const main = own(question).then((samples) => ({ thread: 'main', samples, late: false }))
      return Promise.all([
        main,
        ...[...linked].map((thread) => callOne(thread, { id: ++lastId, question }, clock)),
      ])
    },
    followHeartbeats: (take) => {
      followers.push(take)
      take([...linked].map(({ heartbeat }) => heartbeat))
    },
  }
}

async function callOne(thread: Linked, standing: Request, clock: Clock): Promise<ThreadAnswer> {
  const { promise, resolve } = Promise.withResolvers<readonly ProfileSample[]>()
  thread.pending.set(standing.id, resolve)
  thread.port.postMessage(standing)
  const samples = await inTime(promise, { clock, ms: answerTimeoutMs })
  thread.pending.delete(standing.id)
  return { thread: thread.name, samples: samples ?? [], late: samples === undefined }
}

/** Joins the process from inside a worker. Call it once, before any other work. */
export function joinThread(link: ThreadLink, now: () => number): JoinedThread {
  const { port, floor } = link
  beat(link.heartbeat)
  const waits = createWaits(now)
  const answer = answers(createThreadProfiler(), waits)
  const post = (message: Message): void => port.postMessage(message)
  port.on('message', ({ id, question }: Request) => {
    void answer(question).then((samples) => post({ answer: id, samples }))
  })
  port.unref()
  const log = createLog(
    (record) => {
      if (levelRank[record.level] < Atomics.load(floor, 0)) return
      post({ record: { ...record, fields: plainFields(record.fields) } })
    },
    (name) => post({ announce: name }),
  )
  return { log, waits }
}

function answers(
  profiler: ThreadProfiler,
  waits: Waits,
): (question: ThreadQuestion) => Promise<readonly ProfileSample[]> {
  return async (question) => {
    switch (question) {
      case 'start-cpu':
        await profiler.startCpu()
        return []
      case 'stop-cpu':
        return profiler.stopCpu()
      case 'watch-heap':
        await profiler.watchHeap()
        return []
      case 'heap':
        return profiler.heap()
      case 'waits':
        return waits.samples().map(({ lock, stack, count, delayMs }) => ({
          stack: framesOfStack(stack),
          values: [count, delayMs * 1e6],
          labels: { lock },
        }))
    }
  }
}
