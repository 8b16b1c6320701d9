/** Rows of several tables of segments whose amounts run, as those of one segment. */

import { f64At, itemAt } from '../../core/item-at.ts'
import type { Value } from '../engine/database.ts'
import type { FrozenShape } from './frozen-shape.ts'
import type { RowRange } from './merged-rows.ts'
import { RowColumns } from './row-columns.ts'
import { amountCells, amountOf, type RunningColumns, runningColumns } from './running-amounts.ts'
import type { TableSink } from './segment-writer.ts'

/**
 * Takes the rows of a key from segment after segment, and adds to each what the segments before it
 * came to. A first row of a segment that changes nothing is left out where the key is known already.
 */
export class MergedAmounts {
  readonly #into: Pick<TableSink, 'addRange'>
  readonly #columns: RunningColumns
  readonly #room: RowColumns
  /** Key of the last row, its segment, its whole amount, and what the segments before it came to. */
  #key: number[] = []
  #piece = -1
  #total = 0n
  #before = 0n

  constructor(into: Pick<TableSink, 'addRange'>, shape: FrozenShape) {
    this.#into = into
    this.#columns = runningColumns(shape)
    this.#room = RowColumns.empty(shape.forms, 1)
  }

  /** Adds rows `[from, until)` of segment number `piece`, which follow those added before. */
  add(rows: RowColumns, { from, until }: RowRange, piece: number): void {
    let row = from
    // Only the rows of the first key can have others before them, in another segment.
    if (piece !== this.#piece || this.#before !== 0n)
      while (row < until && this.#isOfKey(rows, row)) this.#addChanged(rows, row++, piece)
    if (row === until) return
    this.#into.addRange(rows, row, until)
    const last = until - 1
    this.#key = Array.from({ length: this.#columns.keyLength }, (_, lane) =>
      f64At(itemAt(rows.lanes, lane), last),
    )
    this.#piece = piece
    this.#before = 0n
    this.#total = this.#amountAt(rows, last)
  }

  #addChanged(rows: RowColumns, row: number, piece: number): void {
    const own = this.#amountAt(rows, row)
    if (piece !== this.#piece) {
      this.#before = this.#total
      this.#piece = piece
      if (own === 0n) return
    }
    this.#total = this.#before + own
    const { value, negative } = this.#columns
    const cells = amountCells(this.#total)
    const values = rows.columns.map((_, column): Value => {
      if (column === value) return cells[0]
      return column === negative ? cells[1] : rows.valueAt(row, column)
    })
    this.#room.addRow(values)
    this.#into.addRange(this.#room, 0, 1)
    this.#room.clear()
  }

  #amountAt(rows: RowColumns, row: number): bigint {
    const { value, negative } = this.#columns
    return amountOf(rows.valueAt(row, value), rows.valueAt(row, negative))
  }

  #isOfKey(rows: RowColumns, row: number): boolean {
    const isKnown = this.#key.length > 0
    return isKnown && this.#key.every((id, at) => f64At(itemAt(rows.lanes, at), row) === id)
  }
}
