/** Rows of several tables of segments that have a row for each key, as those of one segment. */

import { f64At, itemAt } from '../../core/item-at.ts'
import type { FrozenShape } from './frozen-shape.ts'
import type { RowRange } from './merged-rows.ts'
import type { RowColumns } from './row-columns.ts'
import type { TableSink } from './segment-writer.ts'

/** Leaves out a key that an older segment has: its row comes before. */
export class MergedFirsts {
  readonly #into: Pick<TableSink, 'addRange'>
  readonly #keyLength: number
  #last: number[] = []

  constructor(into: Pick<TableSink, 'addRange'>, { keyLength }: FrozenShape) {
    this.#into = into
    this.#keyLength = keyLength
  }

  /** Adds rows of one segment, which follow those added before. */
  add(rows: RowColumns, { from, until }: RowRange): void {
    const isKnown = this.#last.every((id, lane) => f64At(itemAt(rows.lanes, lane), from) === id)
    const first = isKnown && this.#last.length > 0 ? from + 1 : from
    if (first === until) return
    this.#into.addRange(rows, first, until)
    this.#last = Array.from({ length: this.#keyLength }, (_, lane) =>
      f64At(itemAt(rows.lanes, lane), until - 1),
    )
  }
}
