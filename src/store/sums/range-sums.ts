/**
 * Sums of the hashes of a table's rows, by range: what each range of a store must add up to.
 *
 * A sum does not know the order of its rows. So a row can be added when it is written and taken off
 * when it goes, whatever else changed, and a table can be read in any order to check it.
 */

import { assert } from '../../core/fault.ts'
import { f64At, u32At } from '../../core/item-at.ts'
import { type Column, type Columns, type Row, valueAt } from '../engine/database.ts'
import { columnNames, type Table } from '../schema/table.ts'
import {
  finishLanes,
  lanesOf,
  mixColumn,
  mixPresent,
  mixValue,
  newLanes,
  type RowLanes,
  sumOf,
  upperRange,
} from './row-hash.ts'

/** Sum of the rows of one range: their number, and the sum of their hashes. */
export type RangeSum = { readonly rows: number; readonly sum: number }

/** Returns whether two sums are the same; one that is not known equals none. */
export function areEqual(one: RangeSum | undefined, other: RangeSum | undefined): boolean {
  return (
    one !== undefined && other !== undefined && one.rows === other.rows && one.sum === other.sum
  )
}

const wordRange = 2 ** 32
const maxNeighbours = 4_096

/** Columns of `table` that are summed, in order; without those that may change unnoticed. */
export function summedColumns(table: Table): string[] {
  const without = table.sums?.without ?? []
  return columnNames(table).filter((name) => !without.includes(name))
}

/** Sums of one table, of what was added to them. */
export class RangeSums {
  readonly #table: Table
  readonly #names: readonly string[]
  /** Place of the column of ranges among the summed ones, -1 for a table of one range. */
  readonly #byAt: number
  readonly #later: ReadonlySet<string>
  readonly #sums = new Map<number, { rows: number; lower: number; upper: number }>()

  constructor(table: Table) {
    assert(table.sums !== undefined, 'the table is summed')
    this.#table = table
    this.#names = summedColumns(table)
    this.#byAt = this.#names.indexOf(table.sums.by?.column ?? '')
    this.#later = new Set(table.sums.later)
  }

  /** Adds rows as they are written, or takes them off with `sign` -1. */
  addColumns(columns: Columns, count: number, sign: 1 | -1): void {
    if (count === 0) return
    const lanes = newLanes(count)
    for (const name of this.#names)
      if (this.#later.has(name)) mixPresent(lanes, columns[name])
      else mixColumn(lanes, columns[name])
    finishLanes(lanes)
    const by = this.#table.sums?.by
    this.#add(lanes, by === undefined ? undefined : columns[by.column], sign)
  }

  /** Adds rows of all summed columns in their order, or takes them off. */
  addRows(rows: readonly Row[], sign: 1 | -1): void {
    const lanes = newLanes(rows.length)
    for (const [at, row] of rows.entries())
      for (const [column, name] of this.#names.entries()) {
        const value = row[column] ?? null
        if (value !== null || !this.#later.has(name)) mixValue(lanes, at, value)
      }
    finishLanes(lanes)
    const { size = 1 } = this.#table.sums?.by ?? {}
    for (const [at, row] of rows.entries()) {
      const part = this.#byAt === -1 ? 0 : Math.floor(Number(row[this.#byAt] ?? 0) / size)
      this.#addTo(part, { lower: u32At(lanes.lower, at), upper: u32At(lanes.upper, at), sign })
    }
  }

  /** Adds what is known of a range. */
  addSum(part: number, { rows, sum }: RangeSum): void {
    const of = this.#sumOf(part)
    const { lower, upper } = lanesOf(sum)
    of.rows += rows
    of.lower = (of.lower + lower) % wordRange
    of.upper = (of.upper + upper) % upperRange
  }

  /** Returns the sum of a range. */
  of(part: number): RangeSum {
    const { rows, lower, upper } = this.#sumOf(part)
    return { rows, sum: sumOf(lower, upper) }
  }

  /** Forgets all. */
  clear(): void {
    this.#sums.clear()
  }

  /** Ranges by number, in order of first sight. */
  entries(): [number, RangeSum][] {
    return [...this.#sums.keys()].map((part) => [part, this.of(part)])
  }

  #add(lanes: RowLanes, by: Column | undefined, sign: 1 | -1): void {
    const parts = partsOf(by, this.#table.sums?.by?.size ?? 1, lanes.lower.length)
    let first = Number.POSITIVE_INFINITY
    let last = Number.NEGATIVE_INFINITY
    for (const part of parts) {
      if (part < first) first = part
      if (part > last) last = part
    }
    // Ranges of a batch are neighbours but where rows of all times go.
    if (last - first >= maxNeighbours) {
      for (const [at, part] of parts.entries())
        this.#addTo(part, { lower: u32At(lanes.lower, at), upper: u32At(lanes.upper, at), sign })
      return
    }
    const rows = new Uint32Array(last - first + 1)
    // A batch has at most 2^20 rows of a table, so that their sum is exact.
    const lower = new Float64Array(rows.length)
    const upper = new Float64Array(rows.length)
    for (let at = 0; at < parts.length; at++) {
      const place = f64At(parts, at) - first
      rows[place] = u32At(rows, place) + 1
      lower[place] = f64At(lower, place) + u32At(lanes.lower, at)
      upper[place] = f64At(upper, place) + u32At(lanes.upper, at)
    }
    for (const [place, count] of rows.entries()) {
      if (count === 0) continue
      const of = this.#sumOf(first + place)
      of.rows += sign * count
      of.lower = wrapped(of.lower + sign * (f64At(lower, place) % wordRange), wordRange)
      of.upper = wrapped(of.upper + sign * (f64At(upper, place) % upperRange), upperRange)
    }
  }

  #addTo(
    part: number,
    {
      lower,
      upper,
      sign,
    }: { readonly lower: number; readonly upper: number; readonly sign: 1 | -1 },
  ): void {
    const of = this.#sumOf(part)
    of.rows += sign
    of.lower = wrapped(of.lower + sign * lower, wordRange)
    of.upper = wrapped(of.upper + sign * upper, upperRange)
  }

  #sumOf(part: number): { rows: number; lower: number; upper: number } {
    const known = this.#sums.get(part)
    if (known !== undefined) return known
    const made = { rows: 0, lower: 0, upper: 0 }
    this.#sums.set(part, made)
    return made
  }
}

/** Numbers of the ranges of rows, by their column `by`; all of one range without it. */
function partsOf(by: Column | undefined, size: number, count: number): Float64Array {
  const parts = new Float64Array(count)
  if (by instanceof Float64Array)
    for (let row = 0; row < count; row++) parts[row] = Math.floor(f64At(by, row) / size)
  else if (by !== undefined)
    for (let row = 0; row < count; row++)
      parts[row] = Math.floor(Number(valueAt(by, row) ?? 0) / size)
  return parts
}

/** `value` between minus `range` and twice `range`, brought below `range`. */
function wrapped(value: number, range: number): number {
  if (value < 0) return value + range
  return value >= range ? value - range : value
}
