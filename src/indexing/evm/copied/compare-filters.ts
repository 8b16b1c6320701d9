/** Compares the filters of segments with the rows that they speak of. */

import type { Reader } from '../../../store/engine/database.ts'
import { historyStages } from '../../../store/engine/table.ts'
import { leadsWithId, shapesOf } from '../../../store/ice/frozen-shape.ts'
import { iceOf } from '../../../store/ice/ice.ts'
import type { FrozenTable } from '../../../store/ice/segment.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { blockRowTables, traceRowTables } from './compare-facts.ts'
import { otherFilter } from './difference.ts'

const filtered = [...blockRowTables, ...traceRowTables, balance, holding]
  .flatMap(shapesOf)
  .filter(leadsWithId)

/**
 * Throws `source-mismatch` where the filter of a table lacks an id that its rows have, which would hide
 * them from questions, or has another one. `pause` is waited for between two tables of a segment and some
 * groups of rows.
 *
 * Cost: every row of a table that has a filter is read.
 */
export async function compareFilters(reader: Reader, pause: () => Promise<void>): Promise<void> {
  const held = await iceOf(reader)?.hold(reader)
  try {
    const ranges = historyStages.flatMap((stage) => held?.ranges[stage] ?? [])
    const tables = ranges.flatMap(({ segment }) => filtered.map(({ name }) => segment.table(name)))
    for (const table of tables) if (table !== undefined) await compareFilter(table, pause)
  } finally {
    held?.release()
  }
}

async function compareFilter(table: FrozenTable, pause: () => Promise<void>): Promise<void> {
  const { name } = table.shape
  const known = table.knownIds()
  if (known === undefined) return
  let count = 0
  let last = -1
  let groups = 0
  for (const group of table.groups()) {
    for (let row = 0; row < group.count; row++) {
      const id = Number(group.cell(row, 0))
      if (id === last) continue
      last = id
      count++
      if (!table.mayKnow(id)) throw otherFilter(name, `lacks id ${id}`)
    }
    if (++groups % groupsAtOnce === 0) await pause()
  }
  if (count !== known) throw otherFilter(name, `has ${known} ids, its rows have ${count}`)
  await pause()
}

/** Groups of rows between two pauses. */
const groupsAtOnce = 16
