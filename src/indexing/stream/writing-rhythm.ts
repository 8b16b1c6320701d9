/**
 * Work of a writer by the clock: it renews its lease, and lets its store know whether that is being filled or
 * follows its chain, by how busy the writer is.
 *
 * A store that waits for its node, its chain or its prover follows: what it keeps in memory and in
 * its log to write less is then of no use.
 */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database, WritingPace } from '../../store/engine/database.ts'
import { leaseTtlMs } from '../../store/lease.ts'
import { quietStream } from './round-stream.ts'
import type { Stream } from './stage.ts'

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

/** Between two looks. */
const lookEveryMs = 1_000
/** Of the load each look replaces this share: it is that of about the last minute. */
const renewedShare = 1 / 60
/** Shares of the time since the last look that go to batches: above it fills, below it follows. */
const fillingShare = 0.5
const followingShare = 0.1

/** Times of a store's batches, and the stream that adjusts their size. */
type WritingRhythm = {
  /** Does the work of one batch, and counts its time. */
  readonly batch: <T>(work: () => Promise<T>) => Promise<T>
  readonly stream: Stream
  /** Share of the last minute that went to batches, from 0 to 1. */
  readonly load: () => number
}

/** The rhythm of `database`, which begins by filling. */
export function writingRhythm(database: Database, clock: Clock): WritingRhythm {
  let pace: WritingPace = 'fill'
  let busyMs = 0
  let isUnfolded = false
  let lookedAt = clock.monotonic()
  let load = 0

  const look = async (): Promise<void> => {
    const now = clock.monotonic()
    const share = busyMs / Math.max(1, now - lookedAt)
    const isQuiet = busyMs === 0
    busyMs = 0
    lookedAt = now
    load += (Math.min(1, share) - load) * renewedShare
    if (pace === 'follow' && share >= fillingShare) {
      await database.pace('fill')
      pace = 'fill'
    } else if (share <= followingShare && (pace === 'fill' || (isQuiet && isUnfolded))) {
      pace = 'follow'
      isUnfolded = !(await database.pace('follow'))
    }
  }

  return {
    load: () => load,
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
