/**
 * Integers of one column of a group of rows, packed as bits over their least value.
 *
 * `plain`: every value has the same number of bits, so that any of them is read by itself. `runs`:
 * equal neighbours are written once, with the row at which they begin. What takes fewer bytes is
 * written. NULL is one below the least value.
 *
 *     u8 form (0 plain, 1 runs; + 2: may be NULL) | u8 bits | f64 base | u16 runs (runs only)
 *     values, bits each, from a byte on | first rows of runs (runs only), bits of the row count each
 *
 * All little-endian. Reading may look up to {@link slackBytes} past the last value.
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { ByteSink } from './byte-sink.ts'

/** Bytes that must follow the last packed value of a buffer that is read. */
export const slackBytes = 8

/** Values of more bits are written as two parts: what one reading gives is below 2^32. */
const partBits = 24
const partRange = 2 ** partBits
/** Integers are below 2^53. */
const maxBits = 54

/** Integers of a column, or NULL. */
export type PackedIntegers = {
  readonly at: (row: number) => number | null
  /** Place behind the last byte. */
  readonly end: number
}

/** Bits that hold every integer of `0..range`. */
function bitsOf(range: number): number {
  const high = Math.floor(range / 2 ** 32)
  return high === 0 ? 32 - Math.clz32(range) : 64 - Math.clz32(high)
}

/** Writes `values`, of which there are at most 65,535. */
export function packIntegers(sink: ByteSink, values: readonly (number | null)[]): void {
  const isNullable = values.includes(null)
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value === null) continue
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least > most) least = most = 0
  const base = isNullable ? least - 1 : least
  const width = bitsOf(most - base)
  const offsets = values.map((value) => (value === null ? 0 : value - base))
  const starts = runStarts(offsets)
  const rowBits = bitsOf(values.length)
  const isRuns = starts.length * (width + rowBits) + 16 < offsets.length * width
  sink.u8((isRuns ? 1 : 0) + (isNullable ? 2 : 0))
  sink.u8(width)
  sink.f64(base)
  if (!isRuns) {
    packBits(sink, offsets, width)
    return
  }
  sink.u16(starts.length)
  packBits(
    sink,
    starts.map((row) => itemAt(offsets, row)),
    width,
  )
  packBits(sink, starts, rowBits)
}

/** Reads what {@link packIntegers} wrote at `from` of `view`. Throws `bad-bytes`. */
export function unpackIntegers(view: DataView, from: number, rows: number): PackedIntegers {
  const form = view.getUint8(from)
  const width = view.getUint8(from + 1)
  const base = view.getFloat64(from + 2, true)
  if (form > 3 || width > maxBits || !Number.isSafeInteger(base))
    throw new Fault('bad-bytes', `a column is packed in no known form: ${form}`)
  const isNullable = form >= 2
  if (form % 2 === 0) {
    const end = from + 10 + Math.ceil((rows * width) / 8)
    checkEnd(view, end)
    const first = (from + 10) * 8
    return {
      at: (row) => valueOf(readBits(view, first + row * width, width), base, isNullable),
      end,
    }
  }
  const runs = view.getUint16(from + 10, true)
  const rowBits = bitsOf(rows)
  const valuesAt = from + 12
  const startsAt = valuesAt + Math.ceil((runs * width) / 8)
  const end = startsAt + Math.ceil((runs * rowBits) / 8)
  checkEnd(view, end)
  if (runs === 0) throw new Fault('bad-bytes', 'a column has no runs')
  const runOf = (row: number): number => {
    let low = 0
    let high = runs - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (readBits(view, startsAt * 8 + middle * rowBits, rowBits) <= row) low = middle
      else high = middle - 1
    }
    return low
  }
  return {
    at: (row) =>
      valueOf(readBits(view, valuesAt * 8 + runOf(row) * width, width), base, isNullable),
    end,
  }
}

function checkEnd(view: DataView, end: number): void {
  if (end + slackBytes > view.byteLength)
    throw new Fault('bad-bytes', `a column ends behind its group: ${end}`)
}

function valueOf(offset: number, base: number, isNullable: boolean): number | null {
  return isNullable && offset === 0 ? null : base + offset
}

function runStarts(values: readonly number[]): number[] {
  const starts: number[] = []
  let last: number | undefined
  for (const [row, value] of values.entries()) {
    if (value !== last) starts.push(row)
    last = value
  }
  return starts
}

function packBits(sink: ByteSink, values: readonly number[], width: number): void {
  const bytes = new Uint8Array(Math.ceil((values.length * width) / 8))
  let bit = 0
  for (const value of values) {
    setBits(bytes, bit, { value: value % partRange, width: Math.min(width, partBits) })
    if (width > partBits) {
      const high = { value: Math.floor(value / partRange), width: width - partBits }
      setBits(bytes, bit + partBits, high)
    }
    bit += width
  }
  sink.bytes(bytes)
}

function setBits(
  bytes: Uint8Array,
  bit: number,
  { value, width }: { readonly value: number; readonly width: number },
): void {
  let rest = value
  let at = bit >>> 3
  let shift = bit & 7
  for (let left = width; left > 0;) {
    bytes[at] = itemAt(bytes, at) | ((rest << shift) & 0xff)
    const taken = 8 - shift
    rest >>>= taken
    left -= taken
    shift = 0
    at++
  }
}

function readBits(view: DataView, bit: number, width: number): number {
  if (width <= partBits) return readPart(view, bit, width)
  return (
    readPart(view, bit, partBits) + partRange * readPart(view, bit + partBits, width - partBits)
  )
}

/** At most 30 bits. */
function readPart(view: DataView, bit: number, width: number): number {
  if (width === 0) return 0
  const at = bit >>> 3
  const shift = bit & 7
  let value = view.getUint32(at, true) >>> shift
  if (shift + width > 32) value |= view.getUint8(at + 4) << (32 - shift)
  return (value & (2 ** width - 1)) >>> 0
}
