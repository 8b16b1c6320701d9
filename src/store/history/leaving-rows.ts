/**
 * Compares the rows that leave a table for a segment with the sums that were kept as they were written.
 *
 * The rows are those read back from the finished segment. So whatever went wrong on the way, a row that
 * changed on the disk, one that was lost, one that a page gave twice, shows before the table lets go of
 * them: the caller's transaction rolls back, and every row stays where it was.
 */

import { assert, Fault } from '../../core/fault.ts'
import { type Columns, statement, type Writer } from '../engine/database.ts'
import type { Table } from '../schema/table.ts'
import { addRowsWhere } from '../sums/check-store.ts'
import { areEqual, type RangeSum, RangeSums } from '../sums/range-sums.ts'
import { placeColumn, placesPerHeight } from './segment-file.ts'

const sumsUpTo = statement(
  'select part, row_count, row_sum from range_sum where tab = ? and part <= ?',
)
const noRows: RangeSum = { rows: 0, sum: 0 }

/** The rows of one table below a height, as a segment holds them. */
export class LeavingRows {
  readonly #table: Table
  /** Value of the place column of the first row that stays. */
  readonly #end: number
  /** Values of the place column in a range of sums, and those in a block. */
  readonly #size: number
  readonly #scale: number
  readonly #found: RangeSums

  /** Rows of `table`, which is summed by its place in history, below height `until`. */
  constructor(table: Table, until: number) {
    const by = table.sums?.by
    assert(by?.column === placeColumn(table), 'history is summed by its place')
    this.#table = table
    this.#size = by.size
    this.#scale = placesPerHeight(table)
    this.#end = until * this.#scale
    this.#found = new RangeSums(table)
  }

  /** Adds rows of the segment. */
  add(columns: Columns, count: number): void {
    this.#found.addColumns(columns, count, 1)
  }

  /**
   * Throws `rows-altered` where the rows do not add up to their stored sums: the sums before this
   * transaction, which has changed the table only by removing these rows. Rows of the last range
   * that stay are read, too; the whole table where its key has another order.
   */
  async check(writer: Writer): Promise<void> {
    const last = Math.ceil(this.#end / this.#size) - 1
    const written = new Map<number, RangeSum>()
    for (const [part, rows, sum] of await writer.all(sumsUpTo, [this.#table.name, last]))
      written.set(part, { rows, sum })
    const parts = new Set([...written.keys(), ...this.#found.entries().map(([part]) => part)])
    for (const part of parts) {
      const wanted = written.get(part) ?? noRows
      if (areEqual(this.#found.of(part), wanted)) continue
      if (part === last) await this.#addStaying(writer, last)
      if (!areEqual(this.#found.of(part), wanted)) throw this.#altered(part)
    }
  }

  async #addStaying(writer: Writer, part: number): Promise<void> {
    const column = placeColumn(this.#table)
    const limits = [this.#end, (part + 1) * this.#size]
    if (limits[0] === limits[1]) return
    const where = `${column} >= ? and ${column} < ?`
    await addRowsWhere(writer, this.#found, { table: this.#table, where, limits })
  }

  #altered(part: number): Fault {
    const { name } = this.#table
    const from = (part * this.#size) / this.#scale
    const until = ((part + 1) * this.#size) / this.#scale
    return new Fault(
      'rows-altered',
      `rows of table ${name} of blocks ${from} to ${until - 1} are not those that were written`,
      { detail: { table: name, part } },
    )
  }
}
