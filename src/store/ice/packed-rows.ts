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

import { Fault } from '../../core/fault.ts'
import { itemAt, u32At } from '../../core/item-at.ts'
import type { Row, Value } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import { ByteSink } from './byte-sink.ts'
import { packIntegers, type PackedIntegers, slackBytes, unpackIntegers } from './packed-integers.ts'

/** How a column is packed. */
export type ColumnForm = 'integer' | 'place' | 'bytes'

/** Most rows of a group: a point reading checks some kilobytes. */
export const rowsPerGroup = 256

/** Packs `rows` of columns `forms`. */
export function packRows(forms: readonly ColumnForm[], rows: readonly Row[]): Uint8Array {
  const sink = new ByteSink()
  sink.u16(rows.length)
  for (const [column, form] of forms.entries()) {
    const values = rows.map((row) => itemAt(row, column))
    if (form === 'bytes') packByteStrings(sink, values)
    else if (form === 'integer') packIntegers(sink, values.map(integerOrNull))
    else {
      const places = values.map(Number)
      packIntegers(
        sink,
        places.map((pos) => Math.floor(pos / placesPerBlock)),
      )
      packIntegers(
        sink,
        places.map((pos) => pos % placesPerBlock),
      )
    }
  }
  sink.bytes(new Uint8Array(slackBytes))
  return sink.taken()
}

function integerOrNull(value: Value): number | null {
  return value === null ? null : Number(value)
}

function packByteStrings(sink: ByteSink, values: readonly Value[]): void {
  const strings = values.map((value) => (value instanceof Uint8Array ? value : null))
  packIntegers(
    sink,
    strings.map((bytes) => bytes?.length ?? null),
  )
  sink.u32(strings.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0))
  for (const bytes of strings) if (bytes !== null) sink.bytes(bytes)
}

type Column = (row: number) => Value

/** Packed rows to read. Rows and columns count from 0. */
export class PackedRows {
  readonly count: number
  readonly sizeBytes: number
  readonly #columns: readonly Column[]

  /** Throws `bad-bytes` where `bytes` are not those of rows of `forms`. */
  constructor(forms: readonly ColumnForm[], bytes: Uint8Array) {
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
    return itemAt(this.#columns, column)(row)
  }

  row(row: number): Value[] {
    return this.#columns.map((column) => column(row))
  }
}

type Group = { readonly bytes: Uint8Array; readonly view: DataView; readonly rows: number }

function columnAt(form: ColumnForm, group: Group, at: number): { column: Column; end: number } {
  const { bytes, view, rows } = group
  const first = unpackIntegers(view, at, rows)
  if (form === 'integer') return { column: first.at, end: first.end }
  if (form === 'place') {
    const places = unpackIntegers(view, first.end, rows)
    return {
      column: (row) => Number(first.at(row)) * placesPerBlock + Number(places.at(row)),
      end: places.end,
    }
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

function stringsAt(heap: Uint8Array, lengths: PackedIntegers, rows: number): Column {
  let ends: Uint32Array | undefined
  return (row) => {
    ends ??= endsOf(lengths, rows, heap.length)
    const end = u32At(ends, row)
    const from = row === 0 ? 0 : u32At(ends, row - 1)
    return lengths.at(row) === null ? null : heap.subarray(from, end)
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
