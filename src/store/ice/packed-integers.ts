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
import { f64At } from '../../core/item-at.ts'
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
  /** Writes all of them from place `from` of `into` on; NULL is NaN. */
  readonly fill: (into: Float64Array, from: number) => void
  /** The value of all rows, where they have one and the same. */
  readonly only?: number
  /** Place behind the last byte. */
  readonly end: number
}

/** Bits that hold every integer of `0..range`. */
function bitsOf(range: number): number {
  const high = Math.floor(range / 2 ** 32)
  return high === 0 ? 32 - Math.clz32(range) : 64 - Math.clz32(high)
}

/** Writes the first `count` of `values`, at most 65,535; NULL is NaN. */
export function packIntegers(sink: ByteSink, values: Float64Array, count: number): void {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  let nulls = 0
  let runs = 0
  let last: number | undefined
  for (let row = 0; row < count; row++) {
    const value = f64At(values, row)
    if (!Object.is(value, last)) runs++
    last = value
    if (Number.isNaN(value)) nulls++
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least > most) least = most = 0
  const isNullable = nulls > 0
  const base = isNullable ? least - 1 : least
  const width = bitsOf(most - base)
  const rowBits = bitsOf(count)
  const isRuns = runs * (width + rowBits) + 16 < count * width
  sink.u8((isRuns ? 1 : 0) + (isNullable ? 2 : 0))
  sink.u8(width)
  sink.f64(base)
  if (isRuns) packRuns(sink, { values, count, runs, base, width, rowBits })
  else {
    const bits = new BitWriter(sink.room(Math.ceil((count * width) / 8)), width)
    for (let row = 0; row < count; row++) bits.write(offsetOf(f64At(values, row), base))
    bits.end()
  }
}

type Runs = {
  readonly values: Float64Array
  readonly count: number
  readonly runs: number
  readonly base: number
  readonly width: number
  readonly rowBits: number
}

function packRuns(sink: ByteSink, { values, count, runs, base, width, rowBits }: Runs): void {
  sink.u16(runs)
  const bits = new BitWriter(sink.room(Math.ceil((runs * width) / 8)), width)
  const starts = new Float64Array(runs)
  let last: number | undefined
  let run = 0
  for (let row = 0; row < count; row++) {
    const value = f64At(values, row)
    if (Object.is(value, last)) continue
    last = value
    bits.write(offsetOf(value, base))
    starts[run++] = row
  }
  bits.end()
  const rows = new BitWriter(sink.room(Math.ceil((runs * rowBits) / 8)), rowBits)
  for (const start of starts) rows.write(start)
  rows.end()
}

function offsetOf(value: number, base: number): number {
  return Number.isNaN(value) ? 0 : value - base
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
      fill: (into, from) => {
        for (let row = 0; row < rows; row++)
          into[from + row] = numberOf(readBits(view, first + row * width, width), base, isNullable)
      },
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
  const first = valueOf(readBits(view, valuesAt * 8, width), base, isNullable)
  const only = runs === 1 && first !== null ? { only: first } : {}
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
    fill: (into, from) => {
      for (let run = 0; run < runs; run++) {
        const value = numberOf(readBits(view, valuesAt * 8 + run * width, width), base, isNullable)
        const start = readBits(view, startsAt * 8 + run * rowBits, rowBits)
        into.fill(value, from + (run === 0 ? 0 : start), from + rows)
      }
    },
    ...only,
    end,
  }
}

function numberOf(offset: number, base: number, isNullable: boolean): number {
  return isNullable && offset === 0 ? Number.NaN : base + offset
}

function checkEnd(view: DataView, end: number): void {
  if (end + slackBytes > view.byteLength)
    throw new Fault('bad-bytes', `a column ends behind its group: ${end}`)
}

function valueOf(offset: number, base: number, isNullable: boolean): number | null {
  return isNullable && offset === 0 ? null : base + offset
}

/** Writes integers of `width` bits one after another, the lowest bit first. */
class BitWriter {
  readonly #bytes: Uint8Array
  readonly #width: number
  #at = 0
  /** Bits below the next whole byte. */
  #waiting = 0
  #count = 0

  constructor(bytes: Uint8Array, width: number) {
    this.#bytes = bytes
    this.#width = width
  }

  write(value: number): void {
    if (this.#width <= partBits) {
      this.#part(value, this.#width)
      return
    }
    this.#part(value % partRange, partBits)
    const high = Math.floor(value / partRange)
    const left = this.#width - partBits
    this.#part(high % partRange, Math.min(left, partBits))
    if (left > partBits) this.#part(Math.floor(high / partRange), left - partBits)
  }

  /** Writes the bits of a byte that is not full. */
  end(): void {
    if (this.#count > 0) this.#bytes[this.#at] = this.#waiting
  }

  #part(value: number, width: number): void {
    let waiting = this.#waiting | (value << this.#count)
    let count = this.#count + width
    while (count >= 8) {
      this.#bytes[this.#at++] = waiting
      waiting >>>= 8
      count -= 8
    }
    this.#waiting = waiting
    this.#count = count
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
