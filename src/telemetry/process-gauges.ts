/** The process in numbers: memory, CPU time, delays of the event loop. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

import type { Gauges } from './gauges.ts'

/** Gauges of memory outside V8's heap, and of the delay of the main thread. */
export type ProcessWatch = {
  readonly memory: () => Readonly<Record<string, number>>
  readonly notes: () => readonly string[]
  readonly stop: () => void
}

/** A timer of this period is watched. Each wakes a thread that has nothing else to do. */
const resolutionMs = 100

/** Follows the process, writing to `gauges` whenever these are read. */
export function watchProcess(gauges: Gauges): ProcessWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const start = performance.eventLoopUtilization()
  let cpuSeconds = 0
  gauges.onRead(() => {
    const memory = process.memoryUsage()
    gauges.set('firn_process_resident_bytes', memory.rss, {})
    gauges.set('firn_process_heap_used_bytes', memory.heapUsed, {})
    const cpu = process.cpuUsage()
    const total = (cpu.user + cpu.system) / 1e6
    gauges.add('firn_process_cpu_seconds_total', Math.max(0, total - cpuSeconds), {})
    cpuSeconds = total
    for (const quantile of [50, 99]) {
      const labels = { quantile: String(quantile / 100) }
      gauges.set('firn_process_loop_delay_seconds', late(delay.percentile(quantile)), labels)
    }
    gauges.set('firn_process_loop_delay_seconds', late(delay.max), { quantile: '1' })
  })
  return {
    memory: () => {
      const { external, arrayBuffers } = process.memoryUsage()
      return { 'array buffers': arrayBuffers, 'native external': external - arrayBuffers }
    },
    notes: () => {
      const { utilization } = performance.eventLoopUtilization(start)
      const [p50, p99] = [late(delay.percentile(50)), late(delay.percentile(99))]
      return [
        `event loop delay of the main thread: p50 ${p50} s, p99 ${p99} s, max ${late(delay.max)} s`,
        `event loop utilisation of the main thread: ${utilization.toFixed(3)}`,
      ]
    },
    stop: () => delay.disable(),
  }
}

/** Seconds by which a timer was late that fired after so many nanoseconds. */
function late(nanoseconds: number): number {
  const lateBy = nanoseconds / 1e9 - resolutionMs / 1_000
  return Number.isFinite(lateBy) ? Math.max(0, lateBy) : 0
}
