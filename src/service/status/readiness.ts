/**
 * Readiness of the process: its stores can be read, are complete, and are up to date.
 *
 * A chain that was live, in this process or an earlier one, must be live again within a set time.
 * One in its first backfill is reported and stops nothing, unless a setting says so.
 */

import { statfsSync } from 'node:fs'

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { ChainStatus } from '../../indexing/run/status-board.ts'
import type { StageStatus } from '../../indexing/stream/stage.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import type { HealthCheck } from '../../telemetry/health.ts'
import type { LeaseWatch } from './lease-watch.ts'
import type { LivedStages } from './lived-stages.ts'

/** A store that is served. */
export type ReadableStore = { readonly key: string; readonly store: Database }

/** All that readiness reads. */
export type ReadinessOptions = {
  /** Chains that this process indexes; absent when it only serves. */
  readonly indexed: (() => readonly ChainStatus[]) | undefined
  readonly served: () => readonly ReadableStore[]
  /** Those, and the stores of logs. */
  readonly stores: () => Promise<readonly ReadableStore[]>
  /** Engine of the stores. */
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly leases: LeaseWatch
  /** Stores of which a reading met damage, by name, and what the engine said. */
  readonly damaged: ReadonlyMap<string, string>
  /** Stages that were live once, also in an earlier process. */
  readonly lived: LivedStages
  readonly clock: Clock
  /** Time for which a chain that was live may be behind. */
  readonly maxLagMs: number
  /** True when a chain in its first backfill makes the process not ready. */
  readonly untilLive: boolean
}

/** Stages that bound answers: others fill in names later. */
const boundingStages: ReadonlySet<string> = new Set([
  'blocks',
  'traces',
  'copied',
  'P',
  'X',
  'C',
  'messages',
])

/**
 * The check of all chains. Its message is the state of every stage; its error names what is wrong.
 * Stages that another process indexes are only behind here, never wrong.
 */
export function chainsCheck(options: ReadinessOptions): HealthCheck {
  const lastLive = new Map<string, number>()
  const startMs = options.clock.monotonic()
  const problemOf = (key: string, stage: StageStatus): string | undefined => {
    const name = `${key} ${stage.stage}`
    const now = options.clock.monotonic()
    if (stage.state === 'stopped') return `${name} stopped: ${stage.reason ?? 'see the log'}`
    if (stage.state === 'live') {
      lastLive.set(name, now)
      options.lived.add(name)
    }
    if (stage.state !== 'syncing' || !boundingStages.has(stage.stage)) return undefined
    const since = lastLive.get(name) ?? (options.lived.has(name) ? startMs : undefined)
    if (since === undefined) return options.untilLive ? `${name} was not live yet` : undefined
    if (now - since <= options.maxLagMs) return undefined
    const behind = `${name} behind for ${Math.round((now - since) / 1_000)} s`
    return stage.reason === undefined ? behind : `${behind}: ${stage.reason}`
  }
  return async () => {
    if (options.indexed === undefined) return servedElsewhere(options)
    const chains = options.indexed()
    const problems = chains
      .filter(({ stages }) => !stages.some(({ standsBy }) => standsBy === true))
      .flatMap(({ key, stages }) => stages.flatMap((stage) => problemOf(key, stage) ?? []))
    if (problems.length > 0) throw new Fault('not-ready', problems.join('; '))
    const unverified = chains.filter(({ stages }) => stages[0]?.unverified !== undefined)
    return {
      ...Object.fromEntries(
        chains.map(({ key, stages }) => [
          key,
          Object.fromEntries(stages.map((stage) => [stage.stage, stageText(stage)])),
        ]),
      ),
      ...(unverified.length === 0 ? {} : { unverified: unverified.map(({ key }) => key) }),
    }
  }
}

/** `live at 402`, `syncing at 40 of 402: a node does not answer`, `off: switched off`. */
function stageText({ state, indexedHeight, headHeight, reason, standsBy }: StageStatus): string {
  if (standsBy === true) return 'another process indexes it'
  const of = headHeight > indexedHeight ? ` of ${headHeight}` : ''
  const at = indexedHeight < 0 ? '' : ` at ${indexedHeight}${of}`
  return `${state}${at}${reason === undefined ? '' : `: ${reason}`}`
}

/** Another process must index what this one serves. */
async function servedElsewhere({
  served,
  leases,
  maxLagMs,
}: ReadinessOptions): Promise<Readonly<Record<string, string>>> {
  const listed = new Map<string, string>()
  const problems: string[] = []
  for (const { key, store } of served()) {
    const silentMs = await leases.silentMs(key, store)
    const seconds = Math.round(silentMs / 1_000)
    listed.set(key, silentMs === 0 ? 'indexed' : `not indexed for ${seconds} s`)
    if (silentMs > maxLagMs) problems.push(`${key} is indexed by no process for ${seconds} s`)
  }
  if (problems.length > 0) throw new Fault('not-ready', problems.join('; '))
  return Object.fromEntries(listed)
}

/**
 * The check of the stores: each is read, its files of history are there and as they were written as far as
 * opening tells, and none may have been found damaged by any reading since the start. Throws `store-failed` and
 * what the engine says.
 */
export function storesCheck({ stores, damaged, engine }: ReadinessOptions): HealthCheck {
  return async () => {
    if (damaged.size > 0)
      throw new Fault(
        'store-failed',
        `${[...damaged.values()].join('; ')}; see firn verify --store`,
      )
    const problems: string[] = []
    const all = await stores()
    for (const { key, store } of all) {
      await checkpointHeights(store)
      const found = (await store.historyProblems?.()) ?? []
      problems.push(...found.map((problem) => `${key}: ${problem}`))
    }
    if (problems.length > 0)
      throw new Fault('store-failed', `${problems.join('; ')}; see firn verify --store`)
    return { engine, stores: all.length }
  }
}

/** A disk with less free is full: writing needs room for a batch and its log. */
const leastFreeBytes = 64 * 2 ** 20
/** Of a small disk only this share. */
const leastFreeShare = 0.01

/** Room on a disk in blocks, as `statfs` gives it. */
export type DiskRoom = { readonly bavail: number; readonly blocks: number; readonly bsize: number }

/** The check of the disk that holds `folder`; `roomOf` gives its room. Throws `store-full`. */
export function diskCheck(
  folder: string,
  roomOf: (folder: string) => DiskRoom = statfsSync,
): HealthCheck {
  return () => {
    const { bavail, blocks, bsize } = roomOf(folder)
    const freeBytes = bavail * bsize
    if (freeBytes < Math.min(leastFreeBytes, blocks * bsize * leastFreeShare))
      throw new Fault('store-full', `the disk of the data folder is full: ${freeBytes} bytes free`)
    return { freeBytes }
  }
}
