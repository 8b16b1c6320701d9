/**
 * Amounts that run: those of a table that freezes `running`.
 *
 * A row has the sum of all changes of its key up to its place in history. In the tables, and in each
 * segment, this sum counts from the first height there: so a piece of history is written without what
 * came before it, and two neighbours merge by adding. What reads adds the last sums of all pieces
 * before. Because a piece has a first row for each key that it names, a first row without a change,
 * of a key that older pieces have, says nothing: it is left out.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../core/wide-integer.ts'
import type { Row, Value } from '../engine/database.ts'
import { columnNames, type Table } from '../engine/table.ts'
import type { SegmentTables } from './awaited-segment.ts'
import type { FrozenShape } from './frozen-shape.ts'
import type { FrozenRow, FrozenTable } from './segment.ts'

/** Columns of the size of an amount, big-endian, and of its sign: 1 for one below nothing. */
export const amountColumns = ['value', 'negative'] as const

/** Places of a key without its last column, and of an amount, among the columns of a table. */
export type RunningColumns = {
  readonly keyLength: number
  readonly value: number
  readonly negative: number
}

/** Places in a table that freezes `running`. */
export function runningColumns({ name, columns, keyLength }: RunningShape): RunningColumns {
  const [value = -1, negative = -1] = amountColumns.map((each) => columns.indexOf(each))
  assert(value !== -1 && negative !== -1, `table ${name} has columns of an amount`)
  return { keyLength: keyLength - 1, value, negative }
}

type RunningShape = Pick<FrozenShape, 'name' | 'columns' | 'keyLength'>

/** As {@link runningColumns}, of a table as it is declared. */
export function runningColumnsOf(table: Table): RunningColumns {
  const { name, key } = table
  return runningColumns({ name, columns: columnNames(table), keyLength: key.length })
}

const noBytes = new Uint8Array()

/** The amount of a stored size and sign. */
export function amountOf(value: Value, negative: Value): bigint {
  const size = wideInteger(value instanceof Uint8Array ? value : noBytes)
  return negative === 1 || negative === 1n ? -size : size
}

/** Size and sign of an amount, as they are stored. */
export function amountCells(amount: bigint): readonly [Uint8Array, number] {
  return amount < 0n ? [wideBytes(-amount), 1] : [wideBytes(amount), 0]
}

/** Sums at the ends of segments, which are in order of height. */
export class RunningTotals {
  readonly #table: Table
  readonly #columns: RunningColumns
  readonly #segments: readonly SegmentTables[]
  /** The answer given last: neighbours mostly have one key. */
  #last: { key: readonly number[]; pieces: number; total: bigint | undefined } | undefined

  constructor(table: Table, segments: readonly SegmentTables[]) {
    this.#table = table
    this.#columns = runningColumnsOf(table)
    this.#segments = segments
  }

  /**
   * Sum of all changes of a key in the first `pieces` segments; `undefined` where none names it. Cost:
   * a look-up in each of them that knows its first id.
   */
  upTo(pieces: number, key: readonly number[]): bigint | undefined {
    const last = this.#last
    if (last?.pieces === pieces && key.every((value, at) => last.key[at] === value))
      return last.total
    let total: bigint | undefined
    for (let piece = 0; piece < pieces; piece++) {
      const row = this.#lastIn(piece, key)
      if (row !== undefined) total = (total ?? 0n) + this.amount(row)
    }
    this.#last = { key, pieces, total }
    return total
  }

  /** Sum of all changes of a key in all segments, as {@link RunningTotals.upTo}. */
  all(key: readonly number[]): bigint | undefined {
    return this.upTo(this.#segments.length, key)
  }

  /** The newest row of a key, with the sum of all its changes. Cost: as {@link RunningTotals.upTo}. */
  newest(key: readonly number[]): Row | undefined {
    for (let piece = this.#segments.length - 1; piece >= 0; piece--) {
      const frozen = this.#frozen(piece)
      const at = frozen === undefined ? -1 : this.#lastAt(frozen, key)
      if (frozen === undefined || at < 0) continue
      const cells = this.cellsOf(frozen, at, piece)
      if (cells !== undefined)
        return columnNames(this.#table).map((_, column) => cells.cell(column))
    }
    return undefined
  }

  /** Row `row` of segment number `piece` with its sum; `undefined` for one that says nothing. */
  cellsOf(frozen: FrozenTable, row: number, piece: number): FrozenRow | undefined {
    const { value, negative } = this.#columns
    const cells = frozen.row(row)
    const key = this.#keyOf(cells)
    if (piece === 0) return cells
    const own = this.amount(cells)
    if (own === 0n && this.#isFirst(frozen, row, key) && this.upTo(piece, key) !== undefined)
      return undefined
    let amount: readonly [Uint8Array, number] | undefined
    return {
      cell: (column) => {
        if (column !== value && column !== negative) return cells.cell(column)
        amount ??= amountCells(own + (this.upTo(piece, key) ?? 0n))
        return amount[column === value ? 0 : 1]
      },
    }
  }

  /** The amount of a row, as it is stored. */
  amount(row: FrozenRow): bigint {
    const { value, negative } = this.#columns
    return amountOf(row.cell(value), row.cell(negative))
  }

  #frozen(piece: number): FrozenTable | undefined {
    return itemAt(this.#segments, piece).table(this.#table.name)
  }

  #lastIn(piece: number, key: readonly number[]): FrozenRow | undefined {
    const frozen = this.#frozen(piece)
    if (frozen === undefined) return undefined
    const at = this.#lastAt(frozen, key)
    return at < 0 ? undefined : frozen.row(at)
  }

  /** Number of the last row of a key; -1 where there is none. */
  #lastAt(frozen: FrozenTable, key: readonly number[]): number {
    const last = key.length - 1
    if (!frozen.mayKnow(itemAt(key, 0))) return -1
    const at = frozen.lowerBound([...key.slice(0, last), itemAt(key, last) + 1]) - 1
    return at >= 0 && this.#isOf(frozen.row(at), key) ? at : -1
  }

  #isFirst(frozen: FrozenTable, row: number, key: readonly number[]): boolean {
    return row === 0 || !this.#isOf(frozen.row(row - 1), key)
  }

  #isOf(row: FrozenRow, key: readonly number[]): boolean {
    return key.every((value, column) => row.cell(column) === value)
  }

  #keyOf(row: FrozenRow): number[] {
    return Array.from({ length: this.#columns.keyLength }, (_, at) => Number(row.cell(at)))
  }
}
