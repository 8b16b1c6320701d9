/**
 * Rows of history that a transaction adds, gathered as the columns they come in, so that they go
 * into a segment without passing through tables.
 */

import { assert } from '../../core/fault.ts'
import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import {
  type Column,
  columnOf,
  type Columns,
  type Value,
  valueAt,
  type Writer,
} from '../engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../schema/table.ts'
import { addSegment, type Freezing, nextFrom } from './freeze.ts'
import { keyOrder } from './key-order.ts'
import type { SegmentWriter } from './segment-file.ts'

/** Where the rows of a batch go: to tables, or into a segment that `seal` ends. */
export type RowsTarget = { readonly writer: Writer; readonly seal: () => Promise<void> }

/**
 * A segment of the rows of a stage at heights `[from, until)`: its writer is given all of them and no others, and
 * none of them may be in tables. Heights below them whose traces were left out belong to the segment, too. The
 * blocks of its heights are stored.
 *
 * Once sealed, the segment is whole and on disk before `freezing.writer` can commit the row that names it. The
 * caller rolls this transaction back where sealing throws `store-full`, `store-failed`.
 */
export async function gatherSegment(
  { writer, history }: Omit<Freezing, 'recount'>,
  {
    stage,
    from,
    until,
  }: { readonly stage: HistoryStage; readonly from: number; readonly until: number },
): Promise<RowsTarget> {
  const begin = (await nextFrom({ writer, history }, stage)) ?? from
  const gathered = new GatheredRows(stage)
  return {
    writer: gathered.writer(writer),
    seal: async () => {
      await addSegment({ writer, history }, { stage, from: begin, until }, async (made) => {
        for (const table of history.schemaOf(stage).tables) gathered.writeInto(made, table)
      })
    },
  }
}

/** Rows that a transaction added to the tables of one stage. */
class GatheredRows {
  readonly #stage: HistoryStage
  readonly #parts = new Map<string, Columns[]>()

  constructor(stage: HistoryStage) {
    this.#stage = stage
  }

  /**
   * `writer` with rows of the stage gathered instead of written. Whatever else would change tables that
   * freeze is refused. Those of the stage have no rows of these heights, and what is gathered is not
   * read back.
   */
  writer(writer: Writer): Writer {
    const refused = (table: Table): void =>
      assert(table.freezes === undefined, `rows of ${table.name} are only added while they freeze`)
    const isGathered = (table: Table): boolean => stageOf(table) === this.#stage
    const gather = ({ name }: Table, columns: Columns): void => {
      const parts = this.#parts.get(name) ?? []
      this.#parts.set(name, parts)
      parts.push(columns)
    }
    return {
      ...writer,
      lookup: (lookup, keys) =>
        lookup.over === 'tables' && isGathered(lookup.table)
          ? Array.from<undefined>({ length: itemAt(keys, 0).length })
          : writer.lookup(lookup, keys),
      insert: (table, columns) => {
        if (isGathered(table)) return gather(table, columns)
        refused(table)
        return writer.insert(table, columns)
      },
      insertNew: (table, columns) => {
        if (isGathered(table) && table.freezes === 'first-rows') return gather(table, columns)
        refused(table)
        return writer.insertNew(table, columns)
      },
      upsert: (table, columns) => {
        refused(table)
        return writer.upsert(table, columns)
      },
      update: (table, columns) => {
        refused(table)
        return writer.update(table, columns)
      },
      remove: (table, keys, known) => {
        refused(table)
        return writer.remove(table, keys, known)
      },
      clear: (table) => {
        refused(table)
        return writer.clear(table)
      },
    }
  }

  /** Writes what was gathered of a table, in the order of its key; forgets it. */
  writeInto(made: SegmentWriter, table: Table): void {
    const parts = this.#parts.get(table.name) ?? []
    this.#parts.delete(table.name)
    const names = columnNames(table)
    const keepsFirstRows = table.freezes === 'first-rows'
    // Of equal keys the first one counts.
    const lanes = (keepsFirstRows ? names : table.key).map((name) => laneOf(parts, name))
    const count = lanes[0]?.length ?? 0
    const order = keyOrder(lanes, count)
    if (order === undefined && !keepsFirstRows) {
      for (const part of parts) made.add(table, part)
      return
    }
    const rows = order ?? Uint32Array.from({ length: count }, (_, row) => row)
    const wanted = keepsFirstRows ? firstOfEach(lanes.slice(0, table.key.length), rows) : rows
    const picked = new PickedRows(parts, names)
    for (let from = 0; from < wanted.length; from += rowsAtOnce)
      made.add(table, picked.columns(wanted.subarray(from, from + rowsAtOnce)))
  }
}

/** Rows picked at once: their bytes are objects meanwhile. */
const rowsAtOnce = 8_192

/** A column of integers of all parts. */
function laneOf(parts: readonly Columns[], name: string): Float64Array {
  const columns = parts.map((part) => columnOf(part, name))
  const lane = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0))
  let from = 0
  for (const column of columns) {
    if (column instanceof Float64Array || column instanceof Uint32Array) lane.set(column, from)
    else
      for (let row = 0; row < column.length; row++) lane[from + row] = Number(valueAt(column, row))
    from += column.length
  }
  return lane
}

/** Of rows in order, the first of each key. */
function firstOfEach(key: readonly Float64Array[], order: Uint32Array): Uint32Array {
  return order.filter((row, at) => {
    const last = at === 0 ? undefined : order[at - 1]
    return last === undefined || key.some((lane) => f64At(lane, row) !== f64At(lane, last))
  })
}

/** Rows of several parts by their number in all of them. */
class PickedRows {
  readonly #names: readonly string[]
  readonly #parts: readonly Columns[]
  /** Number of the first row of each part. */
  readonly #starts: number[] = []

  constructor(parts: readonly Columns[], names: readonly string[]) {
    this.#names = names
    this.#parts = parts
    let start = 0
    for (const part of parts) {
      this.#starts.push(start)
      start += columnOf(part, itemAt(names, 0)).length
    }
  }

  columns(rows: Uint32Array): Columns {
    const parts = Uint32Array.from(rows, (row) => this.#partOf(row))
    return Object.fromEntries(
      this.#names.map((name): [string, Column] => {
        const columns = this.#parts.map((part) => columnOf(part, name))
        const values = Array.from<Value>({ length: rows.length })
        for (let at = 0; at < rows.length; at++) {
          const part = u32At(parts, at)
          values[at] = valueAt(itemAt(columns, part), u32At(rows, at) - itemAt(this.#starts, part))
        }
        return [name, values]
      }),
    )
  }

  #partOf(row: number): number {
    let part = this.#starts.length - 1
    while (itemAt(this.#starts, part) > row) part--
    return part
  }
}
