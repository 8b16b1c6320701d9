/**
 * Profiles of the process as files: CPU, heap, and who waited for whom.
 *
 * All threads are in one file, distinguished by the label `thread`. Source of names, types and
 * messages: avalanchego utils/profiler/profiler.go; Go's lock profile is text there, pprof here.
 */

import { chmod, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../log.ts'
import { createSemaphore, type Semaphore } from '../threads/semaphore.ts'
import type { ThreadAnswer, Threads } from '../threads/thread.ts'
import type { Waits } from '../threads/waits.ts'
import type { Profile, ProfileSample } from './pprof.ts'
import { cpuIntervalUs, heapIntervalBytes } from './thread-profile.ts'

/** The profiler, as the administration RPC uses it. Faults have AvalancheGo's messages. */
export type Profiler = {
  /** Throws `bad-parameter` when one runs. */
  readonly startCpu: () => Promise<void>
  /** Writes `cpu.profile`. Throws `bad-parameter` when none runs. */
  readonly stopCpu: () => Promise<void>
  /** Writes `mem.profile`. */
  readonly writeHeap: () => Promise<void>
  /** Writes `lock.profile`. */
  readonly writeLocks: () => Promise<void>
  /** Samples allocations from now on, so that a later heap profile knows them. */
  readonly watchHeap: () => Promise<void>
  /** Ends a running CPU profile without writing it. */
  readonly close: () => Promise<void>
}

type ProfilerOptions = {
  readonly threads: Threads
  readonly waits: Waits
  readonly clock: Clock
  readonly log: Log
  /**
   * Whole or not at all; `name` is a file of the profile folder. Throws with the system's words.
   */
  readonly write: (name: string, bytes: Uint8Array) => Promise<void>
  /** Memory outside V8's heap, bytes by name, and remarks about the event loop. */
  readonly outside: () => {
    readonly memory: Readonly<Record<string, number>>
    readonly notes: readonly string[]
  }
}

// A forgotten profile grows with every new stack: half an hour shows all there is to see.
const longestCpuMs = 1_800_000

type Write = (name: string, profile: Omit<Profile, 'time'>) => Promise<void>

/** A profiler with nothing running. */
export function createProfiler(options: ProfilerOptions): Profiler {
  const { threads, clock, log, waits } = options
  // One at a time: each has its own file, and V8 its own single recording.
  const turn = createSemaphore({ name: 'profiler', permits: 1, waits, maxWaiting: 100 })
  const began = clock.monotonic()
  const cpu = cpuRun(options, write, turn)

  async function write(name: string, profile: Omit<Profile, 'time'>): Promise<void> {
    // Few processes ever write one, and all would load it when they start.
    const { encodePprof } = await import('./pprof.ts')
    await written(options, name, encodePprof({ ...profile, time: clock.now() }))
    log.info('profile written', { name, samples: profile.samples.length })
  }

  async function writeHeap(): Promise<void> {
    const answers = await threads.call('heap')
    await write('mem.profile', {
      kinds: [
        { type: 'inuse_objects', unit: 'count' },
        { type: 'inuse_space', unit: 'bytes' },
      ],
      period: { type: 'space', unit: 'bytes', value: heapIntervalBytes },
      samples: [...labelled(answers), ...outsideHeap(options.outside().memory)],
      comments: [...notesOf(answers), 'inuse_objects is estimated from sampled bytes'],
      durationMs: clock.monotonic() - began,
    })
  }

  async function writeLocks(): Promise<void> {
    const answers = await threads.call('waits')
    await write('lock.profile', {
      kinds: [
        { type: 'contentions', unit: 'count' },
        { type: 'delay', unit: 'nanoseconds' },
      ],
      samples: labelled(answers),
      comments: [...notesOf(answers), ...options.outside().notes],
      durationMs: clock.monotonic() - began,
    })
  }

  return {
    startCpu: () => turn.run(cpu.start),
    stopCpu: () => turn.run(cpu.finish),
    writeHeap: () => turn.run(writeHeap),
    writeLocks: () => turn.run(writeLocks),
    watchHeap: async () => {
      await threads.call('watch-heap')
    },
    close: () => turn.run(cpu.drop),
  }
}

type CpuRun = {
  readonly start: () => Promise<void>
  readonly finish: () => Promise<void>
  readonly drop: () => Promise<void>
}

/** The one CPU profile that can be under way. */
function cpuRun(options: ProfilerOptions, write: Write, turn: Semaphore): CpuRun {
  const { threads, clock, log } = options
  let running: { readonly since: number; readonly limit: AbortController } | undefined

  async function start(): Promise<void> {
    if (running !== undefined) throw new Fault('bad-parameter', 'cpu profiler already running')
    // There from the start, as the original's: an empty file says a profile is under way.
    await written(options, 'cpu.profile', new Uint8Array(0))
    const limit = new AbortController()
    running = { since: clock.monotonic(), limit }
    await threads.call('start-cpu')
    void stopWhenForgotten(limit.signal)
  }

  async function finish(): Promise<void> {
    if (running === undefined) throw new Fault('bad-parameter', "cpu profiler doesn't exist")
    const { since, limit } = running
    running = undefined
    limit.abort()
    const answers = await threads.call('stop-cpu')
    await write('cpu.profile', {
      kinds: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      period: { type: 'cpu', unit: 'nanoseconds', value: cpuIntervalUs * 1_000 },
      samples: labelled(answers),
      comments: notesOf(answers),
      durationMs: clock.monotonic() - since,
    })
  }

  async function stopWhenForgotten(signal: AbortSignal): Promise<void> {
    try {
      await clock.sleep(longestCpuMs, signal)
      await turn.run(finish)
      log.warn('cpu profile ended by its limit', { limitMs: longestCpuMs })
    } catch (error) {
      if (!signal.aborted) log.error('cpu profile not written', { error })
    }
  }

  async function drop(): Promise<void> {
    if (running === undefined) return
    running.limit.abort()
    running = undefined
    await threads.call('stop-cpu')
  }

  return { start, finish, drop }
}

async function written(options: ProfilerOptions, name: string, bytes: Uint8Array): Promise<void> {
  try {
    await options.write(name, bytes)
  } catch (error) {
    if (error instanceof Fault) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Fault('store-failed', reason, { cause: error })
  }
}

/** Memory V8 does not know, as samples of made-up functions. */
function outsideHeap(memory: Readonly<Record<string, number>>): readonly ProfileSample[] {
  return Object.entries(memory)
    .filter(([, size]) => size > 0)
    .map(([name, size]) => ({
      stack: [{ name: `(${name})`, file: '', line: 0 }],
      values: [1, size],
      labels: { thread: 'process' },
    }))
}

function labelled(answers: readonly ThreadAnswer[]): readonly ProfileSample[] {
  return answers.flatMap(({ thread, samples }) =>
    samples.map((sample) => ({ ...sample, labels: { ...sample.labels, thread } })),
  )
}

function notesOf(answers: readonly ThreadAnswer[]): readonly string[] {
  return answers
    .filter(({ late }) => late)
    .map(({ thread }) => `thread ${thread} did not answer in time and is missing`)
}

/** Writes files of `directory` whole or not at all. Throws what the system says. */
export function profileFolder(
  directory: string,
): (name: string, bytes: Uint8Array) => Promise<void> {
  return async (name, bytes) => {
    await mkdir(directory, { recursive: true, mode: 0o750 })
    const path = join(directory, name)
    const beside = `${path}.new`
    await using file = await open(beside, 'w', 0o640)
    await file.writeFile(bytes)
    await file.sync()
    await chmod(beside, 0o640)
    await rename(beside, path)
  }
}
