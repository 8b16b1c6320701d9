/** A store whose every write keeps the sums of its ranges. */

import { type Database, statement } from '../engine/database.ts'
import { everyRow, rangeSum } from '../schema/sums.ts'
import type { Table } from '../schema/table.ts'
import { summingWriter } from './summing-writer.ts'

const anySum = statement('select 1 from range_sum limit 1')

/**
 * `database`, open for writing with `tables`, so that what its transactions write is summed. A
 * store with rows but no sums stays without.
 */
export async function summed(database: Database, tables: readonly Table[]): Promise<Database> {
  const isKept = tables.includes(rangeSum) && (await begun(database, tables))
  if (!isKept) return database
  return {
    ...database,
    transaction: (work, how) =>
      database.transaction(async (writer) => {
        const summing = summingWriter(writer, tables)
        const result = await work(summing.writer)
        await summing.save()
        return result
      }, how),
  }
}

/** Returns whether every row of a store is in a sum. */
export async function hasSums(reader: Pick<Database, 'get'>): Promise<boolean> {
  return (await reader.get(anySum)) !== undefined
}

/** Returns whether sums are kept: an empty store begins to. */
async function begun(database: Database, tables: readonly Table[]): Promise<boolean> {
  if (await hasSums(database)) return true
  for (const { name, sums } of tables) {
    if (sums === undefined) continue
    if ((await database.get(statement(`select 1 from ${name} limit 1`))) !== undefined) return false
  }
  await database.transaction((writer) =>
    writer.insertNew(rangeSum, { tab: [everyRow], part: [0], row_count: [0], row_sum: [0] }),
  )
  return true
}
