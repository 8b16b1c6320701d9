/** Rows of several tables of segments as one, in order of their key. */

import { itemAt } from '../../core/item-at.ts'
import type { Row } from '../engine/database.ts'
import type { FrozenTable } from './segment.ts'

/** Where a table is. */
class Cursor {
  readonly #table: FrozenTable
  readonly #groups: ReturnType<FrozenTable['groups']>
  #rows: readonly Row[] = []
  #at = 0

  constructor(table: FrozenTable) {
    this.#table = table
    this.#groups = table.groups()
    this.#next()
  }

  /** The next row; `undefined` behind the last one. */
  get row(): Row | undefined {
    return this.#rows[this.#at]
  }

  pass(): void {
    this.#at++
    if (this.#at === this.#rows.length) this.#next()
  }

  /** Whether the row of this one comes before that of `other`, whose rows are younger. */
  isBefore(other: Cursor): boolean {
    const { row } = this
    const { row: next } = other
    if (row === undefined || next === undefined) return next === undefined
    for (let column = 0; column < this.#table.shape.keyLength; column++) {
      const difference = Number(itemAt(row, column)) - Number(itemAt(next, column))
      if (difference !== 0) return difference < 0
    }
    return true
  }

  #next(): void {
    const { value: group } = this.#groups.next()
    this.#rows = group === undefined ? [] : rowsOf(group)
    this.#at = 0
  }
}

function rowsOf(group: { readonly count: number; readonly row: (at: number) => Row }): Row[] {
  return Array.from({ length: group.count }, (_, at) => group.row(at))
}

/**
 * All rows of `tables`, whose rows are of different heights. Memory: a group of each table.
 *
 * @yields `count` rows at once, in order of their key.
 */
export function* mergedRows(tables: readonly FrozenTable[], count: number): Generator<Row[]> {
  const cursors = tables.map((table) => new Cursor(table))
  let rows: Row[] = []
  for (;;) {
    let first = itemAt(cursors, 0)
    let second: Cursor | undefined
    for (const cursor of cursors.slice(1)) {
      if (!first.isBefore(cursor)) {
        second = first
        first = cursor
      } else if (second === undefined || !second.isBefore(cursor)) second = cursor
    }
    if (first.row === undefined) break
    // Neighbours come from one table mostly: a list of an address lies in order of history.
    do {
      rows.push(first.row)
      first.pass()
      if (rows.length === count) {
        yield rows
        rows = []
      }
    } while (first.row !== undefined && (second === undefined || first.isBefore(second)))
  }
  if (rows.length > 0) yield rows
}
