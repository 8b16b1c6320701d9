/** Compares a store with its sums, and its segments with their names, once a month. */

import { orAbsent } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database, Writer } from '../../store/engine/database.ts'
import { checkSegments } from '../../store/history/check-segments.ts'
import { markDamaged } from '../../store/history/manifest.ts'
import type { Table } from '../../store/schema/table.ts'
import { checkStore } from '../../store/sums/check-store.ts'
import { hasSums } from '../../store/sums/summed-database.ts'
import type { Log } from '../../telemetry/log.ts'
import { quietStream } from './round-stream.ts'
import type { StageStatus, Stream } from './stage.ts'

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
  /** Returns whether all of it was compared. */
  const round = async (signal: AbortSignal): Promise<boolean> => {
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
    const progress = (): void => {
      report = { ...report, reason: `segment ${++begun} is compared with its name` }
    }
    const found = await orAbsent('not-ready', () => checkSegments(database, { progress, pause }))
    const segments = found ?? []
    for (const { name, reason } of segments)
      log.error('segment is damaged', { chain: key, segment: name, reason })
    // A file that is gone is there again with its disk.
    const altered = new Set(segments.flatMap(({ name, isAltered }) => (isAltered ? name : [])))
    if (found !== undefined)
      await commit?.((writer) => markDamaged(writer, ({ name }) => altered.has(name)))
    const damaged = [
      ...new Set(ranges.map(({ table }) => `table ${table.name}`)),
      ...segments.map(({ name }) => `segment ${name}`),
    ]
    const reason = `damaged: ${damaged.join(', ')}; firn verify --store --repair mends it`
    const late = found === undefined ? { reason: 'segments: object storage does not answer' } : {}
    report = damaged.length === 0 ? late : { state: 'stopped', reason }
    return found !== undefined
  }
  const quiet = quietStream('check', async (signal) => {
    while (!signal.aborted) {
      const days = (await round(signal)) ? daysBetween : 1
      for (let day = 0; day < days; day++) await clock.sleep(dayMs, signal)
    }
  })
  return { ...quiet, status: () => ({ ...quiet.status(), ...report }) }
}
