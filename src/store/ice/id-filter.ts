/**
 * Filters: the exact set of ids that the first column of a table of a segment has. A question for an
 * address or a token leaves a segment that does not know it before any row is read.
 *
 *     chunks, one for ids of the same high bits | directory
 *     chunk: u8 form | low 16 bits of its ids, ascending, u16 each, in the form that takes fewest bytes
 *         0 list: each id; 1 runs: first and last id of each
 *         2 bits: u16 number of bytes without any before the first one, bytes up to the last one
 *     directory: packed rows of high bits, offset, length and CRC of each chunk, as fences are packed
 *
 * Ids are those of `address`: integers without gaps from 1 on, so that chunks are few and full. All
 * little-endian.
 */

import { Fault } from '../../core/fault.ts'
import { f64At, itemAt, u8At } from '../../core/item-at.ts'
import type { Row } from '../engine/database.ts'
import { packRows, type PackedRows } from './packed-rows.ts'
import type { ColumnForm } from './row-columns.ts'
import type { Extent, FilterExtent } from './segment-index.ts'

/** Ids of a chunk: their low bits. */
const chunkIds = 65_536
/** A directory is one group of rows. */
const mostChunks = 65_535
const mostBits = chunkIds / 8

/** Forms of a chunk. */
const forms = { list: 0, runs: 1, bits: 2 } as const

/** Columns of a directory. */
export const directoryForms: readonly ColumnForm[] = ['integer', 'integer', 'integer', 'integer']

/** Returns whether the number of chunks is one that a directory has. */
export function isChunkCount(chunks: number): boolean {
  return chunks > 0 && chunks <= mostChunks
}

/** A filter that is made: of ids in ascending order. Memory: its bytes, until it is written. */
export class IdFilterWriter {
  readonly #chunks: { readonly high: number; readonly bytes: Uint8Array }[] = []
  /** Low bits of the chunk that is not full. */
  readonly #lows = new Uint16Array(chunkIds)
  #count = 0
  #runs = 0
  #high = 0
  #last = Number.NEGATIVE_INFINITY

  /**
   * Adds the first `count` of `ids`, of which neighbours may be equal. Throws `store-failed` for what is no
   * id, or is below one added before.
   */
  add(ids: Float64Array, count: number): void {
    for (let at = 0; at < count; at++) {
      const id = f64At(ids, at)
      if (id !== this.#last) this.#addNext(id)
    }
  }

  /** Writes the filter; `undefined` where no id was added. */
  finish(write: (bytes: Uint8Array) => Extent): FilterExtent | undefined {
    this.#close()
    if (this.#chunks.length === 0) return undefined
    const directory = this.#chunks.map(({ high, bytes }): Row => {
      const { offset, length, crc } = write(bytes)
      return [high, offset, length, crc]
    })
    return { ...write(packRows(directoryForms, directory)), chunks: directory.length }
  }

  #addNext(id: number): void {
    if (!(Number.isInteger(id) && id >= 0 && id > this.#last && id < mostChunks * chunkIds))
      throw new Fault('store-failed', `ids of a table are not in order: ${id}`)
    const high = Math.floor(id / chunkIds)
    if (high !== this.#high) {
      this.#close()
      this.#high = high
    }
    if (this.#count === 0 || id !== this.#last + 1) this.#runs++
    this.#lows[this.#count++] = id % chunkIds
    this.#last = id
  }

  #close(): void {
    if (this.#count === 0) return
    const bytes = packChunk(this.#lows.subarray(0, this.#count), this.#runs)
    this.#chunks.push({ high: this.#high, bytes })
    this.#count = 0
    this.#runs = 0
  }
}

function packChunk(lows: Uint16Array, runs: number): Uint8Array {
  const from = itemAt(lows, 0) >>> 3
  const until = (itemAt(lows, lows.length - 1) >>> 3) + 1
  const [list, run, bits] = [2 * lows.length, 4 * runs, 2 + until - from]
  if (list <= run && list <= bits) return packedList(lows)
  return run <= bits ? packedRuns(lows, runs) : packedBits(lows, from, until)
}

function packedList(lows: Uint16Array): Uint8Array {
  const { bytes, view } = newChunk(forms.list, 2 * lows.length)
  let at = 1
  for (const low of lows) {
    view.setUint16(at, low, true)
    at += 2
  }
  return bytes
}

function packedRuns(lows: Uint16Array, runs: number): Uint8Array {
  const { bytes, view } = newChunk(forms.runs, 4 * runs)
  let at = 1
  let last: number | undefined
  for (const low of lows) {
    if (last === undefined || low !== last + 1) {
      view.setUint16(at, low, true)
      at += 4
    }
    view.setUint16(at - 2, low, true)
    last = low
  }
  return bytes
}

function packedBits(lows: Uint16Array, from: number, until: number): Uint8Array {
  const { bytes, view } = newChunk(forms.bits, 2 + until - from)
  view.setUint16(1, from, true)
  for (const low of lows) {
    const at = 3 + (low >>> 3) - from
    bytes[at] = u8At(bytes, at) | (1 << (low & 7))
  }
  return bytes
}

function newChunk(
  form: number,
  length: number,
): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(1 + length)
  bytes[0] = form
  return { bytes, view: new DataView(bytes.buffer) }
}

/** Ids of a chunk, by their low bits. */
export class IdChunk {
  readonly sizeBytes: number
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #form: number
  /** Bytes of an entry of a list or of runs, and the number of entries. */
  readonly #width: number
  readonly #entries: number
  /** Bytes left out before the bits. */
  readonly #skipped: number

  /** Throws `bad-bytes` where `bytes` are those of no chunk. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.sizeBytes = bytes.length
    this.#form = bytes[0] ?? -1
    this.#width = this.#form === forms.list ? 2 : 4
    if (!isWhole(this.#form, bytes.length - 1))
      throw new Fault('bad-bytes', `ids are packed in no known form: ${this.#form}`)
    this.#entries = Math.floor((bytes.length - 1) / this.#width)
    this.#skipped = this.#form === forms.bits ? this.#view.getUint16(1, true) : 0
  }

  /** Returns whether it has the id of low bits `low`. */
  has(low: number): boolean {
    if (this.#form === forms.bits) {
      const at = 3 + (low >>> 3) - this.#skipped
      return at >= 3 && at < this.#bytes.length && (u8At(this.#bytes, at) & (1 << (low & 7))) !== 0
    }
    // The last entry that does not begin behind it.
    let from = 0
    let until = this.#entries
    while (from < until) {
      const middle = (from + until) >>> 1
      if (this.#first(middle) <= low) from = middle + 1
      else until = middle
    }
    return from > 0 && low <= this.#last(from - 1)
  }

  /** Number of ids. Throws `store-failed` where they are not in order. Cost: all of it is read. */
  count(): number {
    let count = 0
    if (this.#form === forms.bits) {
      for (let low = 0; low < chunkIds; low++) if (this.has(low)) count++
      return count
    }
    for (let entry = 0; entry < this.#entries; entry++) {
      const first = this.#first(entry)
      const last = this.#last(entry)
      if (last < first || (entry > 0 && first <= this.#last(entry - 1)))
        throw new Fault('store-failed', `ids of a filter are not in order: ${first}`)
      count += last - first + 1
    }
    return count
  }

  #first(entry: number): number {
    return this.#view.getUint16(1 + entry * this.#width, true)
  }

  /** Of a list, the same as the first one: both are the end of the entry. */
  #last(entry: number): number {
    return this.#view.getUint16(1 + (entry + 1) * this.#width - 2, true)
  }
}

/** Returns whether a chunk of a form may have `length` bytes behind the form. */
function isWhole(form: number, length: number): boolean {
  if (form === forms.bits) return length > 2 && length <= 2 + mostBits
  const width = form === forms.list ? 2 : 4
  const isKnown = form === forms.list || form === forms.runs
  return isKnown && length > 0 && length <= 2 + mostBits && length % width === 0
}

/** Means of reading a filter: its directory, and the chunk that row `at` of it leads to. */
type FilterReads = {
  readonly directory: () => PackedRows
  readonly chunk: (directory: PackedRows, at: number) => IdChunk
}

/** A filter of a table of a segment. */
export class IdFilter {
  readonly #reads: FilterReads

  constructor(reads: FilterReads) {
    this.#reads = reads
  }

  /** Returns whether it has an id. Cost: its directory is read, and at most one chunk. */
  has(id: number): boolean {
    if (!Number.isInteger(id)) return false
    const high = Math.floor(id / chunkIds)
    const directory = this.#reads.directory()
    const at = directory.firstNotBelow([high])
    if (at === directory.count || directory.cell(at, 0) !== high) return false
    return this.#reads.chunk(directory, at).has(id % chunkIds)
  }

  /** Number of its ids. Cost: all of it is read. */
  count(): number {
    const directory = this.#reads.directory()
    let count = 0
    for (let at = 0; at < directory.count; at++) count += this.#reads.chunk(directory, at).count()
    return count
  }
}
