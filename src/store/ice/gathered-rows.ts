/**
 * Rows of history that a transaction adds, gathered as the columns they come in, so that they go
 * into a segment without passing through tables.
 */

import { assert } from '../../core/fault.ts'
import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import { type Column, type Columns, type Row, valueAt, type Writer } from '../engine/database.ts'
import { columnNames, type Table } from '../engine/table.ts'
import { type FrozenShape, placeColumn, shapesOf } from './frozen-shape.ts'
import { keyOrder } from './key-order.ts'
import { laneCount, RowColumns } from './row-columns.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Newest rows that are replaced at once. */
const replacedAtOnce = 8_192

/** Rows that a transaction added to tables that freeze. */
export class GatheredRows {
  readonly #parts = new Map<string, Columns[]>()

  /**
   * `writer` with rows of tables that freeze gathered instead of written; only the newest of each key
   * of a table `but newest` replaces the one that is there. Whatever else would change tables that
   * freeze is refused. What is gathered is not read back through this writer.
   */
  writer(writer: Writer): Writer {
    const refused = (table: Table): void =>
      assert(table.freezes === undefined, `rows of ${table.name} are only added while they freeze`)
    return {
      all: writer.all,
      get: writer.get,
      lookup: writer.lookup,
      run: writer.run,
      insert: async (table, columns) => {
        if (table.freezes === undefined) return writer.insert(table, columns)
        const parts = this.#parts.get(table.name) ?? []
        this.#parts.set(table.name, parts)
        parts.push(columns)
        if (table.freezes === 'but newest') await replaceNewest(writer, table, columns)
      },
      insertNew: (table, columns) => {
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

/** The newest row of each key takes the place of the one that is stored; segments have that one. */
async function replaceNewest(writer: Writer, table: Table, columns: Columns): Promise<void> {
  const keys = table.key.map((name) => numbersOf(columnAt(columns, name)))
  const count = itemAt(keys, 0).length
  const order = keyOrder(keys, count)
  const newest = new Uint32Array(count)
  let pairs = 0
  const rowAt = (at: number): number => (order === undefined ? at : u32At(order, at))
  for (let at = 0; at < count; at++) {
    const isLast = at + 1 === count || differs(keys.slice(0, -1), rowAt(at), rowAt(at + 1))
    if (isLast) newest[pairs++] = rowAt(at)
  }
  // In the order of the key, so that each page is changed once, and some at once: memory.
  for (let from = 0; from < pairs; from += replacedAtOnce)
    await replaceRows(writer, table, {
      columns,
      rows: newest.subarray(from, Math.min(from + replacedAtOnce, pairs)),
    })
}

async function replaceRows(
  writer: Writer,
  table: Table,
  { columns, rows }: { readonly columns: Columns; readonly rows: Uint32Array },
): Promise<void> {
  const names = columnNames(table)
  const place = placeColumn(table)
  const key = table.key.filter((name) => name !== place)
  const picked = Object.fromEntries(
    names.map((name) => {
      const column = columnAt(columns, name)
      return [name, Array.from(rows, (row) => valueAt(column, row))]
    }),
  )
  const stored = await writer.lookup(
    { table, key, select: names, last: place },
    key.map((name) => columnAt(picked, name)),
  )
  const superseded = stored.filter((row) => row !== undefined)
  const old = Object.fromEntries(
    names.map((name, at) => [name, superseded.map((row) => itemAt(row, at))]),
  )
  const oldKeys = Object.fromEntries(table.key.map((name) => [name, columnAt(old, name)]))
  await writer.remove(table, oldKeys, old)
  await writer.insert(table, picked)
}

async function packShape(made: SegmentWriter, shape: FrozenShape, rows: RowColumns): Promise<void> {
  const { forms, keyLength } = shape
  const order = keyOrder(rows.lanes.slice(0, laneCount(forms, keyLength)), rows.count)
  await made.table(shape, async (into) => {
    if (order === undefined) into.addRange(rows, 0, rows.count)
    else into.addPicked(rows, order)
  })
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

function numbersOf(column: Column): Float64Array {
  const numbers = new Float64Array(column.length)
  for (let row = 0; row < numbers.length; row++) numbers[row] = Number(valueAt(column, row))
  return numbers
}

function differs(keys: readonly Float64Array[], one: number, other: number): boolean {
  return keys.some((key) => f64At(key, one) !== f64At(key, other))
}
