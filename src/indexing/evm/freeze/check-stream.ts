/**
 * Compares the segments of a chain with their names beside its indexing, after a start and once a month:
 * SQLite does not notice a byte that a disk changed.
 */

import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import { checkSegments, type DamagedSegment } from '../../../store/history/check-segments.ts'
import type { Log } from '../../../telemetry/log.ts'
import { quietStream } from '../../stream/quiet-stream.ts'
import type { StageStatus, Stream } from '../../stream/stage.ts'

/** Milliseconds of pause for each of work: a twentieth of the thread. */
const pauseShare = 19
const dayMs = 86_400_000
const daysBetween = 30

/** Parts of checking. */
export type CheckParts = {
  readonly database: Database
  readonly spec: { readonly key: string }
  readonly clock: Clock
  readonly log: Log
}

/** The stream that compares segments; its status says how far it is, and what is damaged. */
export function checkStream({ database, spec, clock, log }: CheckParts): Stream {
  let news: Partial<StageStatus> = { reason: 'segments are not compared yet since the start' }
  const round = async (signal: AbortSignal): Promise<void> => {
    let since = clock.monotonic()
    let begun = 0
    const damaged = await checkSegments(database, {
      progress: () => (news = { ...news, reason: `segment ${++begun} is compared with its name` }),
      pause: async () => {
        await clock.sleep((clock.monotonic() - since) * pauseShare, signal)
        since = clock.monotonic()
      },
    })
    for (const { name, reason } of damaged)
      log.error('segment is damaged', { chain: spec.key, segment: name, reason })
    news = damaged.length === 0 ? {} : { state: 'off', reason: reasonOf(damaged) }
  }
  const quiet = quietStream('check', async (signal) => {
    while (!signal.aborted) {
      await round(signal)
      for (let day = 0; day < daysBetween; day++) await clock.sleep(dayMs, signal)
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...news }) }
}

function reasonOf(damaged: readonly DamagedSegment[]): string {
  const names = damaged.map(({ name }) => name).join(', ')
  return `segments are damaged: ${names}; firn verify --store --repair mends them`
}
