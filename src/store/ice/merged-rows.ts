/** Rows of several tables of segments as one, in order of their key. */

import { newHeap, popHeap, pushHeap, settleTop } from '../../core/heap.ts'
import { laneCount, RowColumns } from './row-columns.ts'
import type { FrozenTable } from './segment.ts'

/** Where a table is: at a row of a group. */
class Cursor {
  readonly rows: RowColumns
  /** Number of the table: of equal keys the older one comes first. */
  readonly piece: number
  at = 0
  readonly #groups: ReturnType<FrozenTable['groups']>
  readonly #lanes: number

  constructor(table: FrozenTable, piece: number) {
    this.piece = piece
    const { forms, keyLength, groupRows } = table.shape
    this.rows = RowColumns.empty(forms, groupRows)
    this.#lanes = laneCount(forms, keyLength)
    this.#groups = table.groups()
    this.#next()
  }

  /** Behind the last row. */
  get isDone(): boolean {
    return this.at === this.rows.count
  }

  /** Returns whether the row of this one comes before that of `other`; neither is done. */
  isBefore(other: Cursor): boolean {
    return this.#isBefore(this.at, other)
  }

  /** Behind how many rows of the group `other` comes; the first of them comes before it. */
  endBefore(other: Cursor | undefined): number {
    if (other === undefined) return this.rows.count
    let low = this.at + 1
    let high = low
    // Neighbours come from one table mostly, or none do: the step doubles.
    for (let step = 1; high < this.rows.count && this.#isBefore(high, other); step *= 2) {
      low = high + 1
      high += step
    }
    high = Math.min(high, this.rows.count)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(middle, other)) low = middle + 1
      else high = middle
    }
    return low
  }

  moveTo(row: number): void {
    this.at = row
    if (this.isDone) this.#next()
  }

  #isBefore(row: number, other: Cursor): boolean {
    const order = this.rows.compare(row, other.rows, other.at, this.#lanes)
    return order < 0 || (order === 0 && this.piece < other.piece)
  }

  #next(): void {
    this.rows.clear()
    this.at = 0
    const { value: group } = this.#groups.next()
    if (group !== undefined) group.unpack(this.rows)
  }
}

/** Numbers of rows, half-open. */
export type RowRange = { readonly from: number; readonly until: number }

/** Takes the next rows, which are of table number `piece`. */
export type AddRows = (rows: RowColumns, range: RowRange, piece: number) => void

/** All rows of tables whose rows are of different heights. Memory: a group of each table. */
export class MergedRows {
  readonly #cursors = newHeap<Cursor>((one, other) => (one.isBefore(other) ? -1 : 1))

  /** `tables` in order of their heights. */
  constructor(tables: readonly FrozenTable[]) {
    for (const [piece, table] of tables.entries()) {
      const cursor = new Cursor(table, piece)
      if (!cursor.isDone) pushHeap(this.#cursors, cursor)
    }
  }

  /** Adds the next rows, at least `count` while there are so many; whether there may be more. */
  addTo(add: AddRows, count: number): boolean {
    const { items } = this.#cursors
    for (let added = 0; added < count;) {
      const [first, left, right] = items
      if (first === undefined) return false
      const isRight = right !== undefined && left !== undefined && right.isBefore(left)
      const end = first.endBefore(isRight ? right : left)
      add(first.rows, { from: first.at, until: end }, first.piece)
      added += end - first.at
      first.moveTo(end)
      if (first.isDone) popHeap(this.#cursors)
      else settleTop(this.#cursors)
    }
    return true
  }
}
