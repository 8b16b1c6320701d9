/**
 * Time limits of many requests at once.
 *
 * A timer and a composed signal per request cost more than a small answer. Requests that begin
 * within half a second of each other share one timer, so that a limit may be exceeded by that.
 */

import type { Clock } from '../../core/world.ts'

/** The limit of one request. `end` must be called when it was answered. */
export type Deadline = {
  /** Aborted when the time is over or the caller went away. */
  readonly signal: AbortSignal
  /** The caller went away. */
  readonly abandon: () => void
  readonly end: () => void
}

const shareMs = 500

type Shared = { readonly until: number; readonly running: Set<AbortController> }

/** Makes limits of so many milliseconds. */
export function createDeadlines(clock: Clock): (timeoutMs: number) => Deadline {
  const shared = new Map<number, Shared>()
  return (timeoutMs) => {
    const now = clock.monotonic()
    let group = shared.get(timeoutMs)
    if (group === undefined || now >= group.until) {
      group = startGroup(timeoutMs, now + shareMs)
      shared.set(timeoutMs, group)
    }
    const { running } = group
    const controller = new AbortController()
    running.add(controller)
    return {
      signal: controller.signal,
      abandon: () => controller.abort(),
      end: () => running.delete(controller),
    }
  }
}

function startGroup(timeoutMs: number, until: number): Shared {
  const running = new Set<AbortController>()
  const timer = AbortSignal.timeout(timeoutMs + shareMs)
  timer.addEventListener('abort', () => {
    for (const controller of running) controller.abort(timer.reason)
  })
  return { until, running }
}
