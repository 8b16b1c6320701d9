/**
 * Health of the process: named checks, run regularly, shown as the original node shows them.
 *
 * Source of the answer's form: avalanchego api/health/result.go, worker.go.
 */

import { inTime } from '../core/waiting.ts'
import type { Clock } from '../core/world.ts'
import type { Log } from './log.ts'

/**
 * The questions that a check counts for. Liveness has no checks: a process that answers is alive.
 */
export type HealthKind = 'readiness' | 'health'

/**
 * Looks, and returns what an operator should see; throws when unhealthy.
 *
 * The signal is aborted after {@link checkTimeoutMs}.
 */
export type HealthCheck = (signal: AbortSignal) => unknown

/** Last result of one check, as it is answered. Times RFC 3339, `duration` in nanoseconds. */
export type HealthResult = {
  readonly message?: unknown
  readonly error?: string
  readonly timestamp?: string
  readonly duration?: number
  readonly contiguousFailures?: number
  readonly timeOfFirstFailure?: string
}

/** Answer of a health question; `checks` by name, sorted. */
export type HealthAnswer = {
  readonly checks: Readonly<Record<string, HealthResult>>
  readonly healthy: boolean
}

/** A check as it stands: what it counts for, and its last result. */
export type HealthEntry = {
  readonly name: string
  readonly kinds: readonly HealthKind[]
  readonly tags: readonly string[]
  readonly result: HealthResult
}

/** The checks of a process. */
export type Health = {
  /** Adds a check under a name of its own; `tags` let callers read some checks only. */
  readonly register: (
    name: string,
    check: HealthCheck,
    options?: { readonly kinds?: readonly HealthKind[]; readonly tags?: readonly string[] },
  ) => void
  /** Runs every check once, side by side. */
  readonly runAll: () => Promise<void>
  /** Runs every check at once and then every {@link checkIntervalMs}, until aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** All checks as they stand, for a thread that answers from a copy. */
  readonly entries: () => readonly HealthEntry[]
  /** Calls `changed` whenever an entry has changed. */
  readonly onChange: (changed: () => void) => void
  /** The last results; with tags, without the checks that carry other tags only. */
  readonly answer: (kind: HealthKind | 'liveness', tags?: readonly string[]) => HealthAnswer
}

/** Time between two runs. The original's 30 s would hide a lagging chain for too long. */
const checkIntervalMs = 5_000

/** A check that takes longer counts as failed. */
const checkTimeoutMs = 4_000

type Entry = {
  readonly check: HealthCheck
  readonly kinds: readonly HealthKind[]
  readonly tags: readonly string[]
  result: HealthResult
}

const everyKind: readonly HealthKind[] = ['readiness', 'health']

const notYetRun: HealthResult = { error: 'not yet run' }

/** A registry without checks. */
export function createHealth({ clock, log }: { clock: Clock; log: Log }): Health {
  const entries = new Map<string, Entry>()
  const watchers: (() => void)[] = []
  const listed = (): HealthEntry[] =>
    [...entries].map(([name, { kinds, tags, result }]) => ({ name, kinds, tags, result }))
  const notify = (): void => {
    for (const changed of watchers) changed()
  }

  async function runOne(name: string, entry: Entry): Promise<void> {
    const before = entry.result
    const began = clock.monotonic()
    const outcome = await outcomeOf(entry.check, clock)
    const timestamp = new Date(clock.now()).toISOString()
    const duration = Math.round((clock.monotonic() - began) * 1e6)
    if (outcome.error === undefined) {
      if (before.contiguousFailures !== undefined) log.info('health check recovered', { name })
      entry.result = { ...outcome, timestamp, duration }
      return
    }
    const contiguousFailures = (before.contiguousFailures ?? 0) + 1
    const timeOfFirstFailure = before.timeOfFirstFailure ?? timestamp
    if (contiguousFailures === 1) log.warn('health check failed', { name, error: outcome.error })
    entry.result = { ...outcome, timestamp, duration, contiguousFailures, timeOfFirstFailure }
  }

  async function runAll(): Promise<void> {
    await Promise.all([...entries].map(([name, entry]) => runOne(name, entry)))
    notify()
  }

  return {
    register: (name, check, options = {}) => {
      const { kinds = everyKind, tags = [] } = options
      entries.set(name, { check, kinds, tags, result: notYetRun })
      notify()
    },
    entries: listed,
    onChange: (changed) => {
      watchers.push(changed)
    },
    runAll,
    run: async (signal) => {
      while (!signal.aborted) {
        await runAll()
        await clock.sleep(checkIntervalMs, signal).catch(() => undefined)
      }
    },
    answer: (kind, tags) => healthAnswer(listed(), kind, tags),
  }
}

/** The answer to a question from checks as they stand. */
export function healthAnswer(
  entries: readonly HealthEntry[],
  kind: HealthKind | 'liveness',
  tags: readonly string[] = [],
): HealthAnswer {
  if (kind === 'liveness') return { checks: {}, healthy: true }
  const chosen = entries
    .filter(({ kinds }) => kinds.includes(kind))
    .filter((entry) => isWanted(entry.tags, tags))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    checks: Object.fromEntries(chosen.map(({ name, result }) => [name, result])),
    healthy: chosen.every(({ result }) => result.error === undefined),
  }
}

/**
 * A check without tags counts for every question; one with tags only for questions about one of
 * them.
 */
function isWanted(own: readonly string[], wanted: readonly string[]): boolean {
  return own.length === 0 || wanted.length === 0 || wanted.some((tag) => own.includes(tag))
}

async function outcomeOf(check: HealthCheck, clock: Clock): Promise<HealthResult> {
  const controller = new AbortController()
  const late = (): never => {
    const reason = new Error('check took too long')
    controller.abort(reason)
    throw reason
  }
  try {
    const work = Promise.resolve(controller.signal).then(check)
    const message: unknown = await inTime(work, { clock, ms: checkTimeoutMs, late })
    return message === undefined ? {} : { message }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  } finally {
    controller.abort()
  }
}
