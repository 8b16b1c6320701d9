/** Streams that do their work in rounds: checks of the store, the lease, the pace of writing. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database, Writer, WritingPace } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { markDamaged } from '../../store/history/manifest.ts'
import { checkSegments } from '../../store/history/merge-segments.ts'
import { leaseTtlMs } from '../../store/lease.ts'
import { checkStore } from '../../store/sums/check-store.ts'
import { hasSums } from '../../store/sums/summed-database.ts'
import type { Log } from '../../telemetry/log.ts'
import { idleStatus, type StageStatus, type Stream } from './stage.ts'

/** Result of a round. */
export type Round = {
  /** The height up to which the work is done; -1 where none is done yet. */
  readonly height: number
  /** There may be more to do at once. */
  readonly isBusy: boolean
  /** All that can be done now is done. */
  readonly isLive: boolean
  /** Reason why a part of the work waits. */
  readonly reason?: string | undefined
}

/**
 * Pause when there was nothing to do, and after a failure: less than the 4 s after which a
 * lease that stands still is lost, since rounds may be what renews it.
 */
const idlePauseMs = 1_000
const failurePauseMs = 3_000

/**
 * A stream of `round`s, which closes what they opened when it ends. A fault is shown in the status and
 * the round is tried again; what is no fault ends the stream.
 */
export function roundStream(
  name: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  round: (signal: AbortSignal) => Promise<Round>,
  close: () => Promise<void> = async () => {},
): Stream {
  let status: StageStatus = idleStatus(name)
  /** Does one round. Returns the pause after it. */
  const step = async (signal: AbortSignal): Promise<number> => {
    try {
      const { height, isBusy, isLive, reason } = await round(signal)
      status = {
        ...idleStatus(name),
        state: isLive ? 'live' : 'syncing',
        indexedHeight: height,
        headHeight: height,
        reason,
      }
      return isBusy ? 0 : idlePauseMs
    } catch (error) {
      if (signal.aborted) return 0
      const fault = faultOf(error)
      const reason = fault?.message ?? 'it broke; see the log'
      status = { ...status, state: fault === undefined ? 'stopped' : 'syncing', reason }
      if (fault === undefined) throw error
      log.debug('round failed', { stage: name, code: fault.code, reason })
      return failurePauseMs
    }
  }
  return {
    name,
    status: () => status,
    run: async (signal) => {
      try {
        while (!signal.aborted) {
          const pauseMs = await step(signal)
          await clock.sleep(pauseMs, signal).catch((error: unknown) => {
            if (!signal.aborted) throw error
          })
        }
      } finally {
        await close()
      }
    },
  }
}

/** A stream that shows no status: its failures are those of its store or node. */
export function quietStream(name: string, work: (signal: AbortSignal) => Promise<void>): Stream {
  let state: StageStatus = { ...idleStatus(name), state: 'live' }
  return {
    name,
    status: () => state,
    run: async (signal) => {
      try {
        await work(signal)
      } catch (error) {
        if (signal.aborted) return
        const reason = faultOf(error)?.message ?? 'it broke; see the log'
        state = { ...state, state: 'off', reason }
      }
    },
  }
}

/** Milliseconds of pause for each of work: a twentieth of the thread. */
const pauseShare = 19
/** Rows of a table in another order that are read in one snapshot. */
const mostRowsWhole = 2_000_000
const dayMs = 86_400_000
const daysBetween = 30

/** The stream that compares; its status says how far it is, and stops with the damage it found. */
export function checkStream({
  database,
  tables,
  key,
  clock,
  log,
  commit,
}: {
  readonly database: Database
  /** Those of the store. */
  readonly tables: readonly Table[]
  readonly key: string
  readonly clock: Clock
  readonly log: Log
  /** Does work in one transaction under the lease; absent where the store has no segments. */
  readonly commit?: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
}): Stream {
  let report: Partial<StageStatus> = { reason: 'not compared with its sums yet since the start' }
  const round = async (signal: AbortSignal): Promise<void> => {
    let since = clock.monotonic()
    const pause = async (): Promise<void> => {
      await clock.sleep((clock.monotonic() - since) * pauseShare, signal)
      since = clock.monotonic()
    }
    // A server checks its own pages; a long reading there would hold up others' work.
    const isOurs = database.engine === 'sqlite' && (await hasSums(database))
    const ranges = isOurs ? await checkStore(database, tables, { pause, mostRowsWhole }) : []
    for (const { table, part, written, found } of ranges)
      log.error('rows are damaged', { chain: key, table: table.name, part, written, found })
    let begun = 0
    const segments = await checkSegments(database, {
      progress: () =>
        (report = { ...report, reason: `segment ${++begun} is compared with its name` }),
      pause,
    })
    for (const { name, reason } of segments)
      log.error('segment is damaged', { chain: key, segment: name, reason })
    // A file that is gone is there again with its disk.
    const altered = new Set(segments.flatMap(({ name, isAltered }) => (isAltered ? name : [])))
    await commit?.((writer) => markDamaged(writer, ({ name }) => altered.has(name)))
    const damaged = [
      ...new Set(ranges.map(({ table }) => `table ${table.name}`)),
      ...segments.map(({ name }) => `segment ${name}`),
    ]
    const reason = `damaged: ${damaged.join(', ')}; firn verify --store --repair mends it`
    report = damaged.length === 0 ? {} : { state: 'stopped', reason }
  }
  const quiet = quietStream('check', async (signal) => {
    while (!signal.aborted) {
      await round(signal)
      for (let day = 0; day < daysBetween; day++) await clock.sleep(dayMs, signal)
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...report }) }
}

/**
 * A stream that renews the lease well before it ends. Temporary faults of the store are waited out.
 */
export function leaseStream(
  { renew }: { readonly renew: () => Promise<void> },
  clock: Clock,
): Stream {
  return quietStream('lease', async (signal) => {
    while (!signal.aborted) {
      try {
        await renew()
      } catch (error) {
        if (faultOf(error)?.retryable !== true) throw error
      }
      await clock.sleep(leaseTtlMs / 4, signal)
    }
  })
}

// Lets a store know whether it is being filled or follows its chain, by how busy its writer is.
//
// A store that waits for its node, its chain or its prover follows: what it keeps in memory and in
// its log to write less is then of no use.

/** Between two looks. */
const lookEveryMs = 1_000
/** Shares of the time since the last look that go to batches: above it fills, below it follows. */
const fillingShare = 0.5
const followingShare = 0.1

/** Times of a store's batches, and the stream that adjusts their size. */
type WritingRhythm = {
  /** Does the work of one batch, and counts its time. */
  readonly batch: <T>(work: () => Promise<T>) => Promise<T>
  readonly stream: Stream
}

/** The rhythm of `database`, which begins by filling. */
export function writingRhythm(database: Database, clock: Clock): WritingRhythm {
  let pace: WritingPace = 'fill'
  let busyMs = 0
  let isUnfolded = false
  let lookedAt = clock.monotonic()

  const look = async (): Promise<void> => {
    const now = clock.monotonic()
    const share = busyMs / Math.max(1, now - lookedAt)
    const isQuiet = busyMs === 0
    busyMs = 0
    lookedAt = now
    if (pace === 'follow' && share >= fillingShare) {
      await database.pace('fill')
      pace = 'fill'
    } else if (share <= followingShare && (pace === 'fill' || (isQuiet && isUnfolded))) {
      pace = 'follow'
      isUnfolded = !(await database.pace('follow'))
    }
  }

  return {
    batch: async (work) => {
      const began = clock.monotonic()
      try {
        return await work()
      } finally {
        busyMs += clock.monotonic() - began
        isUnfolded = true
      }
    },
    stream: quietStream('pace', async (signal) => {
      while (!signal.aborted) {
        await clock.sleep(lookEveryMs, signal)
        try {
          await look()
        } catch (error) {
          // The next look says it again; what is wrong with the store is reported by its writer.
          if (faultOf(error) === undefined) throw error
        }
      }
    }),
  }
}
