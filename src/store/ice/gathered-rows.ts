/**
 * Rows of history that a transaction adds, gathered as the columns they come in, so that they go
 * into a segment without passing through tables.
 */

import { assert } from '../../core/fault.ts'
import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import { type Column, type Columns, type Row, valueAt, type Writer } from '../engine/database.ts'
import { columnNames, type Table } from '../engine/table.ts'
import { type FrozenShape, placeColumn, shapesOf } from './frozen-shape.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Rows handed on at once. */
const rowsAtOnce = 8_192

/** What a transaction added to tables that freeze. */
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

  /** Writes what was gathered of a table, and its indexes, in the order of their keys. */
  async pack(made: SegmentWriter, table: Table): Promise<void> {
    const columns = joined(table, this.#parts.get(table.name) ?? [])
    for (const shape of shapesOf(table)) await packShape(made, shape, columns)
  }

  /** The last row that was gathered of a column; `undefined` where there is none. */
  last(table: Table, column: string): Row[number] | undefined {
    const part = this.#parts.get(table.name)?.at(-1)?.[column]
    return part === undefined || part.length === 0 ? undefined : valueAt(part, part.length - 1)
  }
}

/** The newest row of each key takes the place of the one that is stored; segments have that one. */
async function replaceNewest(writer: Writer, table: Table, columns: Columns): Promise<void> {
  const names = columnNames(table)
  const place = placeColumn(table)
  const key = table.key.filter((name) => name !== place)
  const keys = table.key.map((name) => numbersOf(columnAt(columns, name)))
  const order = keyOrder(keys)
  const count = keys[0]?.length ?? 0
  const newest: number[] = []
  const rowAt = (at: number): number => (order === undefined ? at : u32At(order, at))
  for (let at = 0; at < count; at++) {
    const isLast = at + 1 === count || differs(keys.slice(0, -1), rowAt(at), rowAt(at + 1))
    if (isLast) newest.push(rowAt(at))
  }
  const picked = Object.fromEntries(
    names.map((name) => {
      const column = columnAt(columns, name)
      return [name, newest.map((row) => valueAt(column, row))]
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

async function packShape(made: SegmentWriter, shape: FrozenShape, columns: Columns): Promise<void> {
  const picked = shape.columns.map((name) => columnAt(columns, name))
  const order = keyOrder(picked.slice(0, shape.keyLength).map(numbersOf))
  const count = picked[0]?.length ?? 0
  await made.table(shape, async (add) => {
    for (let from = 0; from < count; from += rowsAtOnce) {
      const until = Math.min(from + rowsAtOnce, count)
      const rows: Row[] = []
      for (let at = from; at < until; at++) {
        const row = order === undefined ? at : u32At(order, at)
        rows.push(picked.map((column) => valueAt(column, row)))
      }
      add(rows)
    }
  })
}

/** Columns of several additions one after another. */
function joined(table: Table, parts: readonly Columns[]): Columns {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  return Object.fromEntries(
    columnNames(table).map((name) => {
      const all: Row[number][] = []
      for (const part of parts) {
        const column = columnAt(part, name)
        for (let row = 0; row < column.length; row++) all.push(valueAt(column, row))
      }
      return [name, all]
    }),
  )
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

/** Rows in the order of their keys; `undefined` where they are in it already. */
function keyOrder(keys: readonly Float64Array[]): Uint32Array | undefined {
  const count = keys[0]?.length ?? 0
  let isSorted = true
  for (let row = 1; row < count && isSorted; row++) isSorted = compare(keys, row - 1, row) < 0
  if (isSorted) return undefined
  return Uint32Array.from({ length: count }, (_, row) => row).sort((one, other) =>
    compare(keys, one, other),
  )
}

function compare(keys: readonly Float64Array[], one: number, other: number): number {
  for (const key of keys) {
    const difference = f64At(key, one) - f64At(key, other)
    if (difference !== 0) return difference
  }
  return 0
}

function differs(keys: readonly Float64Array[], one: number, other: number): boolean {
  return compare(keys, one, other) !== 0
}
