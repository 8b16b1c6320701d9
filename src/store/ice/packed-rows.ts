/**
 * Some rows of a table as packed columns: what a segment reads and checks at once.
 *
 *     u16 rows | columns in the order of the table | slack
 *     integer: packed integers
 *     place in history (`pos`): packed heights, then packed places in the block
 *     bytes: packed lengths, u32 length of all, all bytes one after another
 *
 * Nothing is decoded before it is asked for: a row is read without its neighbours.
 */

import { assert, Fault } from '../../core/fault.ts'
import { f64At, itemAt, u32At } from '../../core/item-at.ts'
import type { Row, Value } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import { ByteSink } from './byte-sink.ts'
import { packIntegers, type PackedIntegers, slackBytes, unpackIntegers } from './packed-integers.ts'
import { type ColumnForm, type LaneColumn, RowColumns } from './row-columns.ts'

/** Most rows of a group, and usual ones: a point reading checks some kilobytes. */
export const rowsPerGroup = 256

/** Packs `rows`. */
export function packColumns(sink: ByteSink, { count, columns }: RowColumns): Uint8Array {
  sink.u16(count)
  for (const column of columns) {
    packIntegers(sink, column.lane, count)
    if (column.form === 'place') packIntegers(sink, column.places, count)
    else if (column.form === 'bytes') {
      sink.u32(column.heap.bytes.length)
      sink.bytes(column.heap.bytes)
    }
  }
  sink.room(slackBytes).fill(0)
  return sink.taken()
}

/** Packs `rows` of columns `forms`. */
export function packRows(forms: readonly ColumnForm[], rows: readonly Row[]): Uint8Array {
  const columns = RowColumns.empty(forms, rows.length)
  for (const row of rows) columns.addRow(row)
  return packColumns(new ByteSink(), columns)
}

type Column = {
  readonly value: (row: number) => Value
  /** Adds all values to those of a column. */
  readonly unpack: (into: LaneColumn, from: number) => void
}

/**
 * Searches of a group after which its key is unpacked: that takes as long as eight searches of packed
 * columns save.
 */
const oftenSearched = 8

/** Packed rows to read. Rows and columns count from 0. */
export class PackedRows {
  readonly count: number
  readonly sizeBytes: number
  readonly #forms: readonly ColumnForm[]
  readonly #columns: readonly Column[]
  readonly #grew: (bytes: number) => void
  #searches = 0
  /** Unpacked columns of the key, the first ones. */
  readonly #key: Float64Array[] = []

  /**
   * Throws `bad-bytes` where `bytes` are not those of rows of `forms`. `grew` is told of memory that it
   * takes later, bytes.
   */
  constructor(
    forms: readonly ColumnForm[],
    bytes: Uint8Array,
    grew: (bytes: number) => void = () => undefined,
  ) {
    this.#forms = forms
    this.#grew = grew
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.sizeBytes = bytes.length
    try {
      this.count = view.getUint16(0, true)
      let at = 2
      this.#columns = forms.map((form) => {
        const { column, end } = columnAt(form, { bytes, view, rows: this.count }, at)
        at = end
        return column
      })
      if (at + slackBytes !== bytes.length)
        throw new Fault('bad-bytes', `rows end before their group: ${at}`)
    } catch (error) {
      if (error instanceof RangeError)
        throw new Fault('bad-bytes', 'a group of rows is cut off', { cause: error })
      throw error
    }
  }

  cell(row: number, column: number): Value {
    return itemAt(this.#columns, column).value(row)
  }

  /**
   * Number of the first row whose first columns, numbers, are not below `key`. The rows are in the order
   * of these columns.
   */
  firstNotBelow(key: readonly number[]): number {
    const isOften = ++this.#searches > oftenSearched
    if (isOften) while (this.#key.length < key.length) this.#unpackKey()
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isOften ? this.#isUnpackedBelow(middle, key) : this.#isBelow(middle, key))
        low = middle + 1
      else high = middle
    }
    return low
  }

  #isBelow(row: number, key: readonly number[]): boolean {
    for (let column = 0; column < key.length; column++) {
      const difference = Number(this.cell(row, column)) - itemAt(key, column)
      if (difference !== 0) return difference < 0
    }
    return false
  }

  #isUnpackedBelow(row: number, key: readonly number[]): boolean {
    for (let column = 0; column < key.length; column++) {
      const difference = f64At(itemAt(this.#key, column), row) - itemAt(key, column)
      if (difference !== 0) return difference < 0
    }
    return false
  }

  #unpackKey(): void {
    const at = this.#key.length
    const rows = RowColumns.empty([itemAt(this.#forms, at)], this.count)
    const [column] = rows.columns
    assert(column !== undefined && column.form !== 'bytes', 'a key has numbers')
    itemAt(this.#columns, at).unpack(column, 0)
    const lane = column.lane
    for (let row = 0; row < this.count; row++) {
      const value = f64At(lane, row)
      if (column.form === 'place') lane[row] = value * placesPerBlock + f64At(column.places, row)
      else if (Number.isNaN(value)) lane[row] = 0
    }
    this.#key.push(lane)
    this.#grew(lane.byteLength)
  }

  row(row: number): Value[] {
    return this.#columns.map((column) => column.value(row))
  }

  /** Adds all rows to `rows`, which has the same columns. */
  unpack(rows: RowColumns): void {
    for (const [at, column] of this.#columns.entries())
      column.unpack(itemAt(rows.columns, at), rows.count)
    rows.count += this.count
  }
}

type Group = { readonly bytes: Uint8Array; readonly view: DataView; readonly rows: number }

function columnAt(form: ColumnForm, group: Group, at: number): { column: Column; end: number } {
  const { bytes, view, rows } = group
  const first = unpackIntegers(view, at, rows)
  if (form === 'integer') {
    const unpack: Column['unpack'] = ({ lane }, from) => first.fill(lane, from)
    return { column: { value: first.at, unpack }, end: first.end }
  }
  if (form === 'place') {
    const places = unpackIntegers(view, first.end, rows)
    return { column: placesOf(first, places), end: places.end }
  }
  const size = view.getUint32(first.end, true)
  const heapAt = first.end + 4
  if (heapAt + size > bytes.length)
    throw new Fault('bad-bytes', `bytes end behind their group: ${size}`)
  return {
    column: stringsAt(bytes.subarray(heapAt, heapAt + size), first, rows),
    end: heapAt + size,
  }
}

function placesOf(heights: PackedIntegers, places: PackedIntegers): Column {
  return {
    value: (row) => Number(heights.at(row)) * placesPerBlock + Number(places.at(row)),
    unpack: (into, from) => {
      assert(into.form === 'place', 'places are unpacked as such')
      heights.fill(into.lane, from)
      places.fill(into.places, from)
    },
  }
}

function stringsAt(heap: Uint8Array, lengths: PackedIntegers, rows: number): Column {
  let ends: Uint32Array | undefined
  const { only } = lengths
  // Hashes: the place of each follows from its number.
  const isEven = only !== undefined && only * rows === heap.length
  return {
    value: (row) => {
      if (isEven) return heap.subarray(row * only, row * only + only)
      ends ??= endsOf(lengths, rows, heap.length)
      const end = u32At(ends, row)
      const from = row === 0 ? 0 : u32At(ends, row - 1)
      return lengths.at(row) === null ? null : heap.subarray(from, end)
    },
    unpack: (into, from) => {
      assert(into.form === 'bytes', 'byte strings are unpacked as such')
      lengths.fill(into.lane, from)
      into.heap.addAll(from, heap, endsOf(lengths, rows, heap.length))
    },
  }
}

/** Lengths are read when the first string is: what is wrong then is a fault of the store. */
function endsOf(lengths: PackedIntegers, rows: number, size: number): Uint32Array {
  const ends = new Uint32Array(rows)
  let end = 0
  for (let row = 0; row < rows; row++) {
    end += lengths.at(row) ?? 0
    if (end > size) throw new Fault('store-failed', `bytes end behind their group: ${end}`)
    ends[row] = end
  }
  if (end !== size) throw new Fault('store-failed', `bytes of a group are left over: ${size - end}`)
  return ends
}
