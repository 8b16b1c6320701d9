/** A store whose history may lie in segments. */

import { faultOf } from '../../core/fault.ts'
import type { Database, Reader } from '../engine/database.ts'
import type { Layouts } from '../migrations/migrations.ts'
import { meta } from '../schema/control.ts'
import type { Table } from '../schema/table.ts'
import { isDamage } from '../sums/pages.ts'
import { History } from './history.ts'
import { readManifest } from './manifest.ts'
import { historyReader } from './over-segments.ts'
import { type BucketHistory, SegmentCache } from './segment-cache.ts'

/** Where segments lie, and whether this deployment makes them. */
export type HistoryPlace = {
  readonly folder: string
  readonly freezes: boolean
  /** Present where they are kept in a bucket, and the folder has some of them. */
  readonly bucket?: BucketHistory | undefined
  /** In place of this version's, for tests. */
  readonly layouts?: Layouts | undefined
}

/**
 * `database` with the segments in a folder. Where a store has none and the deployment makes none,
 * `database` itself.
 */
export async function withHistory(
  database: Database,
  tables: readonly Table[],
  { folder, freezes, bucket, layouts }: HistoryPlace,
): Promise<Database> {
  const isHistory = tables.includes(meta) && tables.some((table) => table.freezes !== undefined)
  if (!isHistory) return database
  if (!(await mayBeFrozen(database)) && !freezes) return database
  const cache = bucket && new SegmentCache(bucket, database.name)
  const history = new History(folder, tables, { cache, layouts })
  const close = async (): Promise<void> => {
    await database.close()
    history.close()
  }
  return {
    ...database,
    ...historyReader(database, history),
    snapshot: (work) => database.snapshot((reader) => held(reader, history, work)),
    transaction: (work, against) =>
      database.transaction(
        (writer) => work({ ...writer, ...historyReader(writer, history) }),
        against,
      ),
    sizeBytes: async () => (await database.sizeBytes()) + history.sizeBytes(),
    historyBelow: (height) => {
      const older = new History(folder, tables, { below: height, cache, layouts })
      return { ...historyReader(database, older), close: () => older.close() }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Does `work` in a snapshot, whose segments stay open to its end, even those that a merge replaces.
 * Where one is damaged, only the query that needs it fails.
 */
async function held<T>(
  reader: Reader,
  history: History,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  let release: (() => void) | undefined
  try {
    release = (await history.hold(reader)).release
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
  try {
    return await work(historyReader(reader, history))
  } finally {
    release?.()
  }
}

/** Where that cannot be read, only what needs to know it fails: the rest is there to be mended. */
async function mayBeFrozen(database: Database): Promise<boolean> {
  try {
    return (await readManifest(database)).segments.length > 0
  } catch (error) {
    if (isDamage(error)) return true
    throw error
  }
}
