/**
 * Reads a segment. Every piece that is read is checked before it is used, so that a damaged file
 * gives a fault and never a wrong row.
 *
 * Cost: a row, or the first row of a key, is found by one reading for each level of fences and one of
 * its group, some kilobytes each: three readings for a table of up to 16 million rows, of which those
 * of upper levels are nearly always kept in memory. That a table whose first column is an id does not have
 * one is told by its filter, of which two small pieces are read and kept.
 */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

import { toHex } from '../../core/bytes.ts'
import { assert, Fault, faultOf } from '../../core/fault.ts'
import type { Value } from '../engine/database.ts'
import { directoryForms, IdChunk, IdFilter } from './id-filter.ts'
import { PackedRows, rowsPerGroup } from './packed-rows.ts'
import { parseIndex } from './parse-index.ts'
import type { ColumnForm } from './row-columns.ts'
import {
  checkIndexHash,
  type Extent,
  nameOf,
  readTrailer,
  type SegmentIndex,
  type SegmentTable,
  trailerBytes,
} from './segment-index.ts'
import { fenceForms, onDisk } from './segment-writer.ts'

/** Groups and chunks of filters kept in memory, over all segments of this thread. */
const keptBytes = 24 * 2 ** 20
const sectionChunkBytes = 1_048_576
/** Offsets are below it. */
const fileRange = 2 ** 41

type KeptPiece = PackedRows | IdChunk

/**
 * Pieces read last, by file and offset, in two generations: when the younger one is full, the older
 * one is dropped. A list of uses would cost more than what it saves, for each row that is read.
 */
class KeptPieces {
  #younger = new Map<number, KeptPiece>()
  #older = new Map<number, KeptPiece>()
  #youngerBytes = 0
  #files = 0

  /** Number of a file that was opened, for the places of its pieces. */
  nextFile(): number {
    return ++this.#files
  }

  get(place: number): KeptPiece | undefined {
    const young = this.#younger.get(place)
    if (young !== undefined) return young
    const old = this.#older.get(place)
    if (old !== undefined) this.set(place, old)
    return old
  }

  set(place: number, piece: KeptPiece): void {
    if (this.#youngerBytes > keptBytes / 2) {
      this.#older = this.#younger
      this.#younger = new Map()
      this.#youngerBytes = 0
    }
    this.#younger.set(place, piece)
    this.#youngerBytes += piece.sizeBytes
  }

  /** A piece that is kept takes so many bytes more. */
  readonly grew = (bytes: number): void => {
    this.#youngerBytes += bytes
  }
}

const kept = new KeptPieces()

/** A group: where it lies, what it holds, and how many rows it must have. */
type Piece = {
  readonly extent: Extent
  readonly forms: readonly ColumnForm[]
  readonly rows: number
  /** True for rows that are read once: they are not kept. */
  readonly isReadOnce?: boolean
}
/** Readings of a file; what was read stays in memory for a while. */
export type SegmentReads = {
  readonly group: (piece: Piece) => PackedRows
  readonly chunk: (extent: Extent) => IdChunk
}

/** A row of a table of a segment. */
export type FrozenRow = { readonly cell: (column: number) => Value }

/** A table of a segment. */
export class FrozenTable {
  readonly shape: SegmentTable
  readonly #reads: SegmentReads
  readonly #fences: readonly ColumnForm[]
  readonly #filter: IdFilter | undefined

  constructor(shape: SegmentTable, reads: SegmentReads) {
    this.shape = shape
    this.#reads = reads
    this.#fences = [...shape.forms.slice(0, shape.keyLength), ...fenceForms]
    const { filter } = shape
    if (filter === undefined) return
    const directory = { extent: filter, forms: directoryForms, rows: filter.chunks }
    this.#filter = new IdFilter({
      directory: () => reads.group(directory),
      chunk: (rows, at) => reads.chunk(this.#extentAt(rows, at, 1)),
    })
  }

  /** Number of rows. */
  get rows(): number {
    return this.shape.rows
  }

  /** The row with number `row`, in order of the key from 0. */
  row(row: number): FrozenRow {
    const group = this.#groupOf(row)
    const place = row % this.shape.groupRows
    return { cell: (column) => group.cell(place, column) }
  }

  /** All columns of the row with number `row`. */
  values(row: number): Value[] {
    return this.#groupOf(row).row(row % this.shape.groupRows)
  }

  /** All columns of the rows with numbers `[from, until)`. */
  valuesOf(from: number, until: number): Value[][] {
    const { groupRows } = this.shape
    const rows: Value[][] = []
    for (let row = from; row < until;) {
      const group = this.#groupOf(row)
      const end = Math.min(until, row - (row % groupRows) + groupRows)
      for (; row < end; row++) rows.push(group.row(row % groupRows))
    }
    return rows
  }

  /**
   * All rows; what others read meanwhile stays in memory.
   *
   * @yields Groups in order of their rows.
   */
  *groups(): Generator<PackedRows> {
    for (let row = 0; row < this.rows; row += this.shape.groupRows) yield this.#groupOf(row, true)
  }

  /**
   * Returns whether rows may have `value` in their first column; where the segment has a filter of it, they
   * do. Cost: two readings at most, of which one is nearly always kept in memory, and no row.
   */
  mayKnow(value: number): boolean {
    return this.#filter?.has(value) ?? true
  }

  /** Number of ids that its filter has; `undefined` where it has none. Cost: all of the filter is read. */
  knownIds(): number | undefined {
    return this.#filter?.count()
  }

  /** Number of the first row whose key is not below `key`, which may be the beginning of one. */
  lowerBound(key: readonly number[]): number {
    const { root, levels, rows, groupRows } = this.shape
    if (root === undefined) return 0
    let extent = root
    let number = 0
    for (let level = levels; level > 0; level--) {
      const fences = this.#fencesAt(extent, level, number)
      // The last fence below the key: what is sought is behind its first row.
      const at = Math.max(0, fences.firstNotBelow(key) - 1)
      number = number * rowsPerGroup + at
      extent = this.#extentAt(fences, at, this.shape.keyLength)
    }
    const group = this.#rowsAt(extent, number)
    return Math.min(rows, number * groupRows + group.firstNotBelow(key))
  }

  #groupOf(row: number, isReadOnce = false): PackedRows {
    const { root, levels, rows, groupRows } = this.shape
    assert(root !== undefined && row < rows, 'a row is asked for by its number')
    const number = Math.floor(row / groupRows)
    let extent = root
    for (let level = levels; level > 0; level--) {
      const fences = this.#fencesAt(extent, level, Math.floor(number / rowsPerGroup ** level))
      extent = this.#extentAt(
        fences,
        Math.floor(number / rowsPerGroup ** (level - 1)) % rowsPerGroup,
        this.shape.keyLength,
      )
    }
    return this.#rowsAt(extent, number, isReadOnce)
  }

  /** The group of rows with number `number`. */
  #rowsAt(extent: Extent, number: number, isReadOnce = false): PackedRows {
    const { forms, rows, groupRows } = this.shape
    const count = Math.min(groupRows, rows - number * groupRows)
    return this.#reads.group({ extent, forms, rows: count, isReadOnce })
  }

  /** The group of fences with number `number` of a level. */
  #fencesAt(extent: Extent, level: number, number: number): PackedRows {
    const { rows, groupRows } = this.shape
    const fences = Math.ceil(rows / (groupRows * rowsPerGroup ** (level - 1)))
    const count = Math.min(rowsPerGroup, fences - number * rowsPerGroup)
    return this.#reads.group({ extent, forms: this.#fences, rows: count })
  }

  /** Where row `at` leads to: its columns from number `column` on say it. */
  #extentAt(fences: PackedRows, at: number, column: number): Extent {
    const { section } = this.shape
    const offset = Number(fences.cell(at, column))
    const length = Number(fences.cell(at, column + 1))
    const isInside = offset >= section.offset && length >= 0
    if (!isInside || offset + length > section.offset + section.length)
      throw new Fault('store-failed', `a fence of ${this.shape.name} leads out of it: ${offset}`)
    return { offset, length, crc: Number(fences.cell(at, column + 2)) }
  }
}

/** An open segment. */
export class Segment {
  readonly index: SegmentIndex
  /** Follows from all that is in the file. */
  readonly name: string
  readonly path: string
  readonly #fd: number
  readonly #size: number = 0
  readonly #number = kept.nextFile()
  readonly #tables: ReadonlyMap<string, FrozenTable>

  /** Throws `store-failed` where the file is missing or no whole segment, `store-version`. */
  constructor(path: string) {
    this.path = path
    if (!existsSync(path)) throw new Fault('store-failed', `segment is missing: ${path}`)
    this.#fd = onDisk(() => openSync(path, 'r'))
    try {
      this.#size = fstatSync(this.#fd).size
      const trailerAt = this.#size - trailerBytes
      if (trailerAt < 0) throw new Fault('store-failed', 'file is no segment, or is cut off')
      const trailer = readTrailer(this.#bytes(trailerAt, trailerBytes))
      const from = trailerAt - trailer.length
      if (from < 0) throw new Fault('store-failed', 'segment is cut off')
      const text = this.#bytes(from, trailer.length)
      checkIndexHash(text, trailer.hash)
      this.index = parseIndex(text, { format: trailer.format, dataBytes: from })
      this.name = nameOf(trailer.hash)
    } catch (error) {
      closeSync(this.#fd)
      throw named(error, path)
    }
    const reads: SegmentReads = {
      group: (piece) => this.#group(piece),
      chunk: (extent) => this.#chunk(extent),
    }
    this.#tables = new Map(
      this.index.tables.map((table) => [table.name, new FrozenTable(table, reads)]),
    )
  }

  /** The table or index `name`; `undefined` where the segment has none. */
  table(name: string): FrozenTable | undefined {
    return this.#tables.get(name)
  }

  /** Names of tables whose bytes are not those that were written. */
  damagedTables(): string[] {
    return this.index.tables
      .filter(({ section }) => this.#hashOf(section.offset, section.length) !== section.sha256)
      .map(({ name }) => name)
  }

  /**
   * As {@link Segment.damagedTables}, with turns for others between pieces.
   *
   * @yields Their names.
   */
  async *damagedSoon(): AsyncGenerator<string> {
    for (const { name, section } of this.index.tables) {
      const hash = createHash('sha256')
      for (const bytes of this.#chunks(section.offset, section.length)) {
        hash.update(bytes)
        await turn()
      }
      if (toHex(hash.digest()) !== section.sha256) yield name
    }
  }

  close(): void {
    closeSync(this.#fd)
  }

  #group({ extent, forms, rows, isReadOnce = false }: Piece): PackedRows {
    const place = this.#number * fileRange + extent.offset
    const known = kept.get(place)
    // In a file that somebody made, two kinds of pieces may be said to lie at one place.
    if (known instanceof PackedRows) return known
    try {
      const group = new PackedRows(forms, this.#checked(extent), isReadOnce ? undefined : kept.grew)
      if (group.count !== rows)
        throw new Fault('store-failed', `a group at ${extent.offset} has ${group.count} rows`)
      if (!isReadOnce) kept.set(place, group)
      return group
    } catch (error) {
      throw named(error, this.path)
    }
  }

  #chunk(extent: Extent): IdChunk {
    const place = this.#number * fileRange + extent.offset
    const known = kept.get(place)
    if (known instanceof IdChunk) return known
    try {
      const chunk = new IdChunk(this.#checked(extent))
      kept.set(place, chunk)
      return chunk
    } catch (error) {
      throw named(error, this.path)
    }
  }

  #checked({ offset, length, crc }: Extent): Uint8Array {
    const bytes = this.#bytes(offset, length)
    if (crc32(bytes) !== crc)
      throw new Fault('store-failed', `bytes of a segment are damaged at ${offset}`)
    return bytes
  }

  #hashOf(offset: number, length: number): string {
    const hash = createHash('sha256')
    try {
      for (const bytes of this.#chunks(offset, length)) hash.update(bytes)
    } catch (error) {
      if (faultOf(error) === undefined) throw error
      return ''
    }
    return toHex(hash.digest())
  }

  *#chunks(offset: number, length: number): Generator<Uint8Array> {
    for (let at = 0; at < length; at += sectionChunkBytes)
      yield this.#bytes(offset + at, Math.min(sectionChunkBytes, length - at))
  }

  #bytes(offset: number, length: number): Uint8Array {
    // What a damaged piece says of lengths must not become memory.
    if (offset + length > this.#size)
      throw new Fault('store-failed', `segment ends before ${offset + length}`)
    // All of it is read: no need to write zeros first.
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    const read = onDisk(() => readSync(this.#fd, bytes, 0, length, offset))
    if (read !== length) throw new Fault('store-failed', `segment ends before ${offset + length}`)
    return bytes
  }
}

/** Says of which file a fault is. */
function named(error: unknown, path: string): unknown {
  const fault = faultOf(error)
  if (fault === undefined) return error
  const code = fault.code === 'bad-bytes' ? 'store-failed' : fault.code
  return new Fault(code, `${fault.message}: ${path}`, { cause: error, detail: { segment: path } })
}
