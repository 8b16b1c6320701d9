/** Profiles of one thread: its CPU time and its heap, by V8's own inspector. */

import type { HeapProfiler, Profiler as V8Profiler, Runtime } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

import type { Frame, ProfileSample } from './pprof.ts'

/** Time between two CPU samples, microseconds. Go's 100 a second. */
export const cpuIntervalUs = 10_000

/** Bytes allocated between two heap samples. Go's default. */
export const heapIntervalBytes = 524_288

/** Profiler of one thread. A second start, and a stop when nothing runs, change nothing. */
export type ThreadProfiler = {
  readonly startCpu: () => Promise<void>
  /** Samples and nanoseconds by stack since the start; what did not run is left out. */
  readonly stopCpu: () => Promise<readonly ProfileSample[]>
  /** From now on allocations are sampled. */
  readonly watchHeap: () => Promise<void>
  /** Objects (as samples) and bytes in use by stack, after a collection of garbage. */
  readonly heap: () => Promise<readonly ProfileSample[]>
}

/** The profiler of the thread that calls. */
export function createThreadProfiler(): ThreadProfiler {
  let session: Session | undefined
  let runsCpu = false
  let watchesHeap = false

  function connected(): Session {
    if (session === undefined) {
      session = new Session()
      session.connect()
    }
    return session
  }

  async function watchHeap(): Promise<void> {
    if (watchesHeap) return
    watchesHeap = true
    await connected().post('HeapProfiler.startSampling', { samplingInterval: heapIntervalBytes })
  }

  return {
    watchHeap,
    startCpu: async () => {
      if (runsCpu) return
      runsCpu = true
      await connected().post('Profiler.enable')
      await connected().post('Profiler.setSamplingInterval', { interval: cpuIntervalUs })
      await connected().post('Profiler.start')
    },
    stopCpu: async () => {
      if (!runsCpu) return []
      runsCpu = false
      const { profile } = await connected().post('Profiler.stop')
      await connected().post('Profiler.disable')
      return cpuSamples(profile)
    },
    heap: async () => {
      await watchHeap()
      await connected().post('HeapProfiler.collectGarbage')
      const { profile } = await connected().post('HeapProfiler.getSamplingProfile')
      return heapSamples(profile)
    },
  }
}

// Not running is no use of a processor.
const idleNames = new Set(['(idle)', '(root)'])

function cpuSamples(profile: V8Profiler.Profile): readonly ProfileSample[] {
  const parents = new Map<number, number>()
  const nodes = new Map<number, V8Profiler.ProfileNode>()
  for (const node of profile.nodes) {
    nodes.set(node.id, node)
    for (const child of node.children ?? []) parents.set(child, node.id)
  }
  const { samples = [], timeDeltas = [] } = profile
  const spent = new Map<number, { count: number; us: number }>()
  for (const [at, id] of samples.entries()) {
    const held = spent.get(id) ?? { count: 0, us: 0 }
    held.count++
    // The time a sample stands for runs until the next one is taken.
    held.us += timeDeltas[at + 1] ?? cpuIntervalUs
    spent.set(id, held)
  }
  const found: ProfileSample[] = []
  for (const [id, { count, us }] of spent) {
    const node = nodes.get(id)
    if (node === undefined || idleNames.has(node.callFrame.functionName)) continue
    const stack: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = nodes.get(at)?.callFrame
      if (frame !== undefined && frame.functionName !== '(root)') stack.push(frameOf(frame))
    }
    found.push({ stack, values: [count, Math.max(0, us) * 1_000] })
  }
  return found
}

function heapSamples(profile: HeapProfiler.SamplingHeapProfile): readonly ProfileSample[] {
  const found: ProfileSample[] = []
  const open: { node: HeapProfiler.SamplingHeapProfileNode; stack: readonly Frame[] }[] = [
    { node: profile.head, stack: [] },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, stack } = next
    const here = node === profile.head ? stack : [frameOf(node.callFrame), ...stack]
    if (node.selfSize > 0) {
      const count = Math.max(1, Math.round(node.selfSize / heapIntervalBytes))
      found.push({ stack: here, values: [count, node.selfSize] })
    }
    for (const child of node.children) open.push({ node: child, stack: here })
  }
  return found
}

function frameOf({ functionName, url, lineNumber }: Runtime.CallFrame): Frame {
  return {
    name: functionName === '' ? '(anonymous)' : functionName,
    file: url.startsWith('file:') ? fileURLToPath(url) : url,
    line: Math.max(0, lineNumber + 1),
  }
}

/** Frames of a call stack in V8's text form. */
export function framesOfStack(stack: string): readonly Frame[] {
  return stack.split('\n').flatMap((line) => {
    const match = /^\s+at (?:async )?(?:(.+?) \()?(.+?):(\d+):\d+\)?$/.exec(line)
    if (match === null) return []
    const [, name = '(anonymous)', url = '', place = '0'] = match
    const file = url.startsWith('file:') ? fileURLToPath(url) : url
    return [{ name, file, line: Number(place) }]
  })
}
