/**
 * The figures as the listener's thread has them: fresh when the main thread answers at once, else
 * the last ones, with their age. This thread adds the threads that still turn, which only it knows.
 */

import { performance } from 'node:perf_hooks'

import {
  healthAnswer,
  type HealthAnswer,
  type HealthEntry,
  type HealthKind,
} from '../../telemetry/health.ts'
import type { HeartbeatWatch } from '../../telemetry/threads/heartbeat.ts'
import type { Figures } from './listener-messages.ts'

/** Figures kept in a thread. */
export type FigureBoard = {
  /** Takes figures; `to` is the question they answer, if any. */
  readonly take: (figures: Figures, to: number | undefined) => void
  /** Requests new figures and waits until they are there, {@link patienceMs} at most. */
  readonly refresh: () => Promise<void>
  readonly health: (kind: HealthKind | 'liveness', tags?: readonly string[]) => HealthAnswer
  /** Prometheus text, with the age of its figures; `undefined` before the first. */
  readonly metrics: () => { readonly text: string; readonly contentType: string } | undefined
  /** When the figures shown were read, RFC 3339. */
  readonly stamp: (of: 'health' | 'metrics') => string
}

/** Answers are due within 100 ms, so the main thread has less to send what is new. */
const patienceMs = 40

type Held<T> = { readonly value: T; readonly atMs: number; readonly heldAt: number }

/** A board without figures. `request` sends a request with this number to the main thread. */
export function createFigureBoard(
  request: (id: number) => void,
  watch: HeartbeatWatch,
): FigureBoard {
  let health: Held<readonly HealthEntry[]> | undefined
  let metrics: Held<{ readonly text: string; readonly contentType: string }> | undefined
  let pending: { readonly id: number; readonly answered: PromiseWithResolvers<void> } | undefined
  let lastId = 0

  return {
    take: (figures, to) => {
      const { atMs } = figures
      const heldAt = performance.now()
      health = { value: entriesOf(figures.health), atMs, heldAt }
      if (figures.metrics !== undefined) metrics = { value: figures.metrics, atMs, heldAt }
      if (to !== pending?.id) return
      pending?.answered.resolve()
      pending = undefined
    },
    refresh: async () => {
      // One question at a time: a main thread that is busy is not called more.
      if (pending === undefined) {
        pending = { id: ++lastId, answered: Promise.withResolvers() }
        request(pending.id)
      }
      const late = Promise.withResolvers<void>()
      const timer = AbortSignal.timeout(patienceMs)
      timer.addEventListener('abort', () => late.resolve(), { once: true })
      await Promise.race([pending.answered.promise, late.promise])
    },
    health: (kind, tags) => {
      const own = healthAnswer(health?.value ?? [notReported], kind, tags)
      const dead = watch.silent().map(({ name, forMs }) => {
        const seconds = Math.floor(forMs / 1_000)
        return [`thread ${name}`, { error: `has been blocked for ${seconds} s` }] as const
      })
      if (dead.length === 0) return own
      return { checks: { ...own.checks, ...Object.fromEntries(dead) }, healthy: false }
    },
    metrics: () => {
      if (metrics === undefined) return undefined
      const { text, contentType } = metrics.value
      const seconds = (performance.now() - metrics.heldAt) / 1_000
      return { text: withAge(text, seconds), contentType }
    },
    stamp: (of) => {
      const held = of === 'health' ? health : metrics
      return held === undefined ? 'never' : new Date(held.atMs).toISOString()
    },
  }
}

const notReported: HealthEntry = {
  name: 'listener',
  kinds: ['readiness', 'health'],
  tags: [],
  result: { error: 'the main thread has reported nothing yet' },
}

/** The main thread writes 0; how old the text is only this thread knows. */
function withAge(text: string, seconds: number): string {
  return text.replace(/^(firn_node_figures_age_seconds) .*$/m, `$1 ${seconds.toFixed(3)}`)
}

function entriesOf(json: string): readonly HealthEntry[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own main thread
  return JSON.parse(json) as readonly HealthEntry[]
}
