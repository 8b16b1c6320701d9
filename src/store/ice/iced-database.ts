/** A store whose history may lie in segments. */

import { faultOf } from '../../core/fault.ts'
import type { Database, Reader, Writer } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { meta } from '../schema/control.ts'
import { isDamage } from '../sums/pages.ts'
import { FetchedSegments, type SegmentFetching } from './fetched-segments.ts'
import { type HeldSegments, Ice } from './ice.ts'
import { icedReader } from './iced-reader.ts'
import { readManifest } from './manifest.ts'

/** Where segments lie, and whether this deployment makes them. */
export type IcePlace = {
  readonly folder: string
  readonly freezes: boolean
  /** Where those come from that are not in the folder. */
  readonly fetching?: SegmentFetching
}

/**
 * `database` with the segments in a folder. A store without any, of a deployment that makes none, is
 * given as it is.
 */
export async function iced(
  database: Database,
  tables: readonly Table[],
  { folder, freezes, fetching }: IcePlace,
): Promise<Database> {
  const isHistory = tables.includes(meta) && tables.some((table) => table.freezes !== undefined)
  if (!isHistory) return database
  if (!(await mayBeFrozen(database)) && !freezes) return database
  const fetched =
    fetching === undefined ? {} : { fetched: new FetchedSegments(fetching, database.name) }
  const ice = new Ice(folder, tables, fetched)
  return ice.serve<Database>({
    engine: database.engine,
    name: database.name,
    ...icedReader(database, ice),
    snapshot: (work) => database.snapshot((reader) => withSegments(reader, ice, work)),
    transaction: (work, against) =>
      database.transaction((writer) => work(icedWriter(writer, ice)), against),
    claim: database.claim,
    unclaim: database.unclaim,
    pace: database.pace,
    sizeBytes: async () => (await database.sizeBytes()) + ice.sizeBytes(),
    historyBelow: (height) => {
      const older = new Ice(folder, tables, { below: height })
      return { ...icedReader(database, older), close: () => older.close() }
    },
    close: async () => {
      await database.close()
      ice.close()
    },
  })
}

/**
 * Does `work` in a snapshot, whose segments stay open to its end: what a merge replaces meanwhile is
 * taken away. Where one is damaged, only the question that needs it fails.
 */
async function withSegments<T>(
  reader: Reader,
  ice: Ice,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const held = await heldOrNone(ice, reader)
  try {
    return await work(icedReader(reader, ice))
  } finally {
    held?.release()
  }
}

async function heldOrNone(ice: Ice, reader: Reader): Promise<HeldSegments | undefined> {
  try {
    return await ice.hold(reader)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return undefined
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

function icedWriter(writer: Writer, ice: Ice): Writer {
  return ice.serve({
    ...icedReader(writer, ice),
    run: writer.run,
    insert: writer.insert,
    insertNew: writer.insertNew,
    upsert: writer.upsert,
    update: writer.update,
    remove: writer.remove,
    clear: writer.clear,
  })
}
