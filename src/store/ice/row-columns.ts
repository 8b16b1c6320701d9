/**
 * Rows as columns of numbers: they are ordered, merged and packed without an object for each.
 *
 * An integer is one lane of numbers; a place in history (`pos`) is two, its height and its place in
 * the block, so that rows compare by their lanes as by their columns. A lane of byte strings has
 * their lengths, and the bytes lie one after another in a heap. NULL is NaN.
 */

import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import { ByteColumn } from '../engine/byte-column.ts'
import { type Column, type Row, type Value, valueAt } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import { ByteHeap } from './byte-heap.ts'

/** Kinds of columns; each is packed in its own way. */
export type ColumnForm = 'integer' | 'place' | 'bytes'

/** Number of lanes of the first `columns` of `forms`. */
export function laneCount(forms: readonly ColumnForm[], columns: number): number {
  return columns + forms.slice(0, columns).filter((form) => form === 'place').length
}

/** A column: its lanes, and the heap of byte strings. */
export type LaneColumn =
  | { readonly form: 'integer'; readonly lane: Float64Array }
  | { readonly form: 'place'; readonly lane: Float64Array; readonly places: Float64Array }
  | { readonly form: 'bytes'; readonly lane: Float64Array; readonly heap: ByteHeap }

/** Some rows. */
export class RowColumns {
  readonly columns: readonly LaneColumn[]
  /** In the order of the columns. */
  readonly lanes: readonly Float64Array[]
  /** Rows that are there. */
  count = 0

  constructor(columns: readonly LaneColumn[]) {
    this.columns = columns
    this.lanes = columns.flatMap((column) =>
      column.form === 'place' ? [column.lane, column.places] : [column.lane],
    )
  }

  /** None yet; there is room for `most`. */
  static empty(forms: readonly ColumnForm[], most: number): RowColumns {
    return new RowColumns(
      forms.map((form) => {
        const lane = new Float64Array(most)
        if (form === 'integer') return { form, lane }
        if (form === 'place') return { form, lane, places: new Float64Array(most) }
        return { form, lane, heap: new ByteHeap(most) }
      }),
    )
  }

  /** The same rows with other columns, by their numbers; shares the memory. */
  withColumns(numbers: readonly number[]): RowColumns {
    const rows = new RowColumns(numbers.map((number) => itemAt(this.columns, number)))
    rows.count = this.count
    return rows
  }

  clear(): void {
    this.count = 0
    for (const column of this.columns) if (column.form === 'bytes') column.heap.clear()
  }

  addRow(row: Row): void {
    for (const [at, column] of this.columns.entries()) setValue(column, this.count, itemAt(row, at))
    this.count++
  }

  /** Adds rows `[from, until)` of `other`, which has the same columns. */
  addRange(other: RowColumns, from: number, until: number): void {
    for (const [at, column] of this.columns.entries()) {
      const source = itemAt(other.columns, at)
      copy(column.lane, this.count, source.lane, { from, until })
      if (column.form === 'place' && source.form === 'place')
        copy(column.places, this.count, source.places, { from, until })
      else if (column.form === 'bytes' && source.form === 'bytes')
        column.heap.addRange(this.count, source.heap, { from, until })
    }
    this.count += until - from
  }

  /** Adds the rows of `other` that `[from, until)` of `order` names. */
  addPicked(other: RowColumns, order: Uint32Array, from: number, until: number): void {
    const picked = order.subarray(from, until)
    for (const [at, column] of this.columns.entries()) {
      const source = itemAt(other.columns, at)
      pick(column.lane, this.count, source.lane, picked)
      if (column.form === 'place' && source.form === 'place')
        pick(column.places, this.count, source.places, picked)
      else if (column.form === 'bytes' && source.form === 'bytes')
        for (let row = 0; row < picked.length; row++)
          column.heap.add(this.count + row, source.heap.at(u32At(picked, row)))
    }
    this.count += picked.length
  }

  /** Adds rows that a writer was given, as one column each. */
  addColumns(columns: readonly Column[]): void {
    const from = this.count
    for (const [at, column] of this.columns.entries()) setColumn(column, from, itemAt(columns, at))
    this.count += itemAt(columns, 0).length
  }

  /** Sign of the difference of row `row` and row `other` of `rows`, by their first `lanes`. */
  compare(row: number, rows: RowColumns, other: number, lanes: number): number {
    for (let lane = 0; lane < lanes; lane++) {
      const difference =
        f64At(itemAt(this.lanes, lane), row) - f64At(itemAt(rows.lanes, lane), other)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Value of a column, of which byte strings share the memory. */
  valueAt(row: number, column: number): Value {
    const lanes = itemAt(this.columns, column)
    const value = f64At(lanes.lane, row)
    if (Number.isNaN(value)) return null
    if (lanes.form === 'bytes') return lanes.heap.at(row)
    return lanes.form === 'place' ? value * placesPerBlock + f64At(lanes.places, row) : value
  }
}

/** Rows of lists come a few at a time: those are copied faster one by one than as a view. */
const fewRows = 16

function copy(
  into: Float64Array,
  at: number,
  source: Float64Array,
  { from, until }: { readonly from: number; readonly until: number },
): void {
  if (until - from > fewRows) into.set(source.subarray(from, until), at)
  else for (let row = from; row < until; row++) into[at + row - from] = f64At(source, row)
}

function pick(into: Float64Array, at: number, source: Float64Array, picked: Uint32Array): void {
  for (let row = 0; row < picked.length; row++) into[at + row] = f64At(source, u32At(picked, row))
}

function setColumn(into: LaneColumn, from: number, column: Column): void {
  if (
    into.form === 'integer' &&
    (column instanceof Float64Array ||
      column instanceof Uint32Array ||
      column instanceof Uint8Array)
  )
    into.lane.set(column, from)
  else if (into.form === 'bytes' && column instanceof ByteColumn && column.present === undefined) {
    into.lane.set(column.lengths.subarray(0, column.length), from)
    for (let row = 0; row < column.length; row++)
      into.heap.addPart(from + row, column.arena, {
        from: u32At(column.offsets, row),
        length: u32At(column.lengths, row),
      })
  } else
    for (let row = 0; row < column.length; row++) setValue(into, from + row, valueAt(column, row))
}

function setValue(column: LaneColumn, row: number, value: Value): void {
  if (column.form === 'bytes') {
    const bytes = value instanceof Uint8Array ? value : undefined
    column.lane[row] = bytes?.length ?? Number.NaN
    column.heap.add(row, bytes)
  } else {
    const number = value === null ? Number.NaN : Number(value)
    if (column.form === 'integer') column.lane[row] = number
    else {
      column.lane[row] = Math.floor(number / placesPerBlock)
      column.places[row] = number % placesPerBlock
    }
  }
}
