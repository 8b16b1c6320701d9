/**
 * Rows of history that a transaction adds, gathered as the columns they come in, so that they go
 * into a segment without passing through tables.
 */

import { assert } from '../../core/fault.ts'
import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import { type Column, type Columns, type Row, valueAt, type Writer } from '../engine/database.ts'
import { type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { type FrozenShape, shapesOf } from './frozen-shape.ts'
import { keyOrder } from './key-order.ts'
import { laneCount, RowColumns } from './row-columns.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Rows that a transaction added to the tables of one stage. */
export class GatheredRows {
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
    const gather = (table: Table, columns: Columns): void => {
      const parts = this.#parts.get(table.name) ?? []
      this.#parts.set(table.name, parts)
      parts.push(columns)
    }
    return {
      all: writer.all,
      get: writer.get,
      lookup: (lookup, keys) =>
        lookup.rowsOnly === true && isGathered(lookup.table)
          ? Array.from<undefined>({ length: itemAt(keys, 0).length })
          : writer.lookup(lookup, keys),
      run: writer.run,
      insert: (table, columns) => {
        if (isGathered(table)) return gather(table, columns)
        refused(table)
        return writer.insert(table, columns)
      },
      insertNew: (table, columns) => {
        if (isGathered(table) && table.freezes === 'firsts') return gather(table, columns)
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

  /** Writes what was gathered of a table, and its indexes, in the order of their keys; forgets it. */
  async pack(made: SegmentWriter, table: Table): Promise<void> {
    const [own, ...indexes] = shapesOf(table)
    assert(own !== undefined, 'a table has its own order')
    const rows = joined(own, this.#parts.get(table.name) ?? [])
    this.#parts.delete(table.name)
    await packShape(made, own, rows)
    for (const index of indexes) {
      const numbers = index.columns.map((name) => own.columns.indexOf(name))
      await packShape(made, index, rows.withColumns(numbers))
    }
  }

  /** The last row that was gathered of a column; `undefined` where there is none. */
  last(table: Table, column: string): Row[number] | undefined {
    const part = this.#parts.get(table.name)?.at(-1)?.[column]
    return part === undefined || part.length === 0 ? undefined : valueAt(part, part.length - 1)
  }
}

async function packShape(made: SegmentWriter, shape: FrozenShape, rows: RowColumns): Promise<void> {
  const { forms, keyLength, freezes } = shape
  const isFirsts = freezes === 'firsts'
  const lanes = rows.lanes.slice(0, laneCount(forms, isFirsts ? forms.length : keyLength))
  const order = keyOrder(lanes, rows.count)
  await made.table(shape, async (into) => {
    if (isFirsts) into.addPicked(rows, firstOfEach(lanes.slice(0, keyLength), order, rows.count))
    else if (order === undefined) into.addRange(rows, 0, rows.count)
    else into.addPicked(rows, order)
  })
}

/** Of rows in order, the first of each key. */
function firstOfEach(
  key: readonly Float64Array[],
  order: Uint32Array | undefined,
  count: number,
): Uint32Array {
  const picked = new Uint32Array(count)
  let used = 0
  for (let at = 0, last = -1; at < count; at++) {
    const row = order === undefined ? at : u32At(order, at)
    const isSame = last !== -1 && key.every((lane) => f64At(lane, row) === f64At(lane, last))
    if (!isSame) picked[used++] = row
    last = row
  }
  return picked.subarray(0, used)
}

/** Rows of several additions one after another. */
function joined({ columns, forms }: FrozenShape, parts: readonly Columns[]): RowColumns {
  const additions = parts.map((part) => columns.map((name) => columnAt(part, name)))
  const count = additions.reduce((sum, addition) => sum + itemAt(addition, 0).length, 0)
  const rows = RowColumns.empty(forms, count)
  for (const addition of additions) rows.addColumns(addition)
  return rows
}

function columnAt(columns: Columns, name: string): Column {
  const column = columns[name]
  assert(column !== undefined, `rows that freeze have a column ${name}`)
  return column
}
