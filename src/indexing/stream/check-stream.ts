/**
 * Compares what a store holds with its sums and the names of its segments beside indexing, after a start
 * and once a month: SQLite does not notice a byte that a disk changed.
 */

import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { checkSegments } from '../../store/history/check-segments.ts'
import { checkBeside } from '../../store/sums/check-store.ts'
import { hasSums } from '../../store/sums/summed-database.ts'
import type { Log } from '../../telemetry/log.ts'
import { quietStream } from './quiet-stream.ts'
import type { StageStatus, Stream } from './stage.ts'

/** Milliseconds of pause for each of work: a twentieth of the thread. */
const pauseShare = 19
const dayMs = 86_400_000
const daysBetween = 30

/** Parts of checking. */
export type CheckParts = {
  readonly database: Database
  /** Those of the store. */
  readonly tables: readonly Table[]
  readonly key: string
  readonly clock: Clock
  readonly log: Log
}

/** The stream that compares; its status says how far it is, and stops with what is damaged. */
export function checkStream({ database, tables, key, clock, log }: CheckParts): Stream {
  let news: Partial<StageStatus> = { reason: 'not compared with its sums yet since the start' }
  const round = async (signal: AbortSignal): Promise<void> => {
    let since = clock.monotonic()
    const pause = async (): Promise<void> => {
      await clock.sleep((clock.monotonic() - since) * pauseShare, signal)
      since = clock.monotonic()
    }
    // A server compares its own pages; what a long reading holds up there is others' work.
    const isOurs = database.engine === 'sqlite' && (await hasSums(database))
    const ranges = isOurs ? await checkBeside(database, tables, pause) : []
    for (const { table, part, written, found } of ranges)
      log.error('rows are damaged', { chain: key, table: table.name, part, written, found })
    let begun = 0
    const segments = await checkSegments(database, {
      progress: () => (news = { ...news, reason: `segment ${++begun} is compared with its name` }),
      pause,
    })
    for (const { name, reason } of segments)
      log.error('segment is damaged', { chain: key, segment: name, reason })
    const damaged = [
      ...new Set(ranges.map(({ table }) => `table ${table.name}`)),
      ...segments.map(({ name }) => `segment ${name}`),
    ]
    const reason = `damaged: ${damaged.join(', ')}; firn verify --store --repair mends it`
    news = damaged.length === 0 ? {} : { state: 'stopped', reason }
  }
  const quiet = quietStream('check', async (signal) => {
    while (!signal.aborted) {
      await round(signal)
      for (let day = 0; day < daysBetween; day++) await clock.sleep(dayMs, signal)
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...news }) }
}
