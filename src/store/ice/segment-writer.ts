/**
 * Writes a segment: tables one after another, each in order of its key.
 *
 * Rows become groups; the first key of each group and where it lies become rows of the fences above,
 * {@link rowsPerGroup} to a group, which are packed the same way, up to one root. Behind them lies the filter
 * of a table whose first column has ids. The file has another name until it is whole and on disk: a segment
 * is there or it is not.
 */

import { createHash, type Hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Row } from '../engine/database.ts'
import { ByteSink } from './byte-sink.ts'
import { type FrozenShape, leadsWithId } from './frozen-shape.ts'
import { IdFilterWriter } from './id-filter.ts'
import { packColumns, rowsPerGroup } from './packed-rows.ts'
import { type ColumnForm, RowColumns } from './row-columns.ts'
import {
  type Extent,
  indexBytes,
  type SegmentFormat,
  segmentFormat,
  type SegmentSubject,
  type SegmentTable,
} from './segment-index.ts'

/** Ending of files that are not whole yet. */
export const draftEnding = '.draft'
/** Ending of segments. */
export const segmentEnding = '.ice'

/** Columns that fences have after those of the key. */
export const fenceForms: readonly ColumnForm[] = ['integer', 'integer', 'integer']

/** Written at once. */
const chunkBytes = 1_048_576

/** A segment that is being written. */
export class SegmentWriter {
  readonly #draft: string
  readonly #format: SegmentFormat
  readonly #fd: number
  readonly #tables: SegmentTable[] = []
  #parts: Uint8Array[] = []
  #waiting = 0
  #offset = 0
  #isOpen = true
  #hash: Hash = createHash('sha256')

  /** Begins the file `draft` anew, in the newest format. Throws `store-full`, `store-failed`. */
  constructor(draft: string, format: SegmentFormat = segmentFormat) {
    this.#draft = draft
    this.#format = format
    this.#fd = onDisk(() => openSync(draft, 'w'))
  }

  /** Writes a table: `fill` hands on its rows in order of their key. */
  async table(shape: FrozenShape, fill: (into: TableSink) => Promise<void>): Promise<void> {
    const offset = this.#offset
    this.#hash = createHash('sha256')
    const ids =
      this.#format === segmentFormat && leadsWithId(shape) ? new IdFilterWriter() : undefined
    const levels = new Levels(shape, (bytes) => this.#write(bytes), ids)
    await fill(levels)
    const tree = levels.finish()
    const filter = ids?.finish((bytes) => this.#write(bytes))
    const { name, columns, forms, keyLength, groupRows, leadsTo, freezes } = shape
    this.#tables.push({
      name,
      columns,
      forms,
      keyLength,
      groupRows,
      ...(leadsTo === undefined ? {} : { leadsTo }),
      ...(freezes === undefined ? {} : { freezes }),
      ...tree,
      ...(filter === undefined ? {} : { filter }),
      section: { offset, length: this.#offset - offset, sha256: toHex(this.#hash.digest()) },
    })
  }

  /** Ends the file and gives it its name in its folder; returns the name. */
  finish(subject: SegmentSubject): { readonly name: string; readonly sizeBytes: number } {
    const name = this.seal(subject)
    placeSegment(this.#draft, name)
    return { name, sizeBytes: this.#offset }
  }

  /** Ends the file: all of it is on disk then. Returns the name that it is to get. */
  seal(subject: SegmentSubject): string {
    const { store, genesisHash, from, until, parentHash, lastHash, firn } = subject
    // One order, whoever asks: equal segments have equal bytes.
    const named = { store, genesisHash, from, until, parentHash, lastHash, firn }
    const index = { ...named, format: this.#format, tables: this.#tables }
    const { bytes, name } = indexBytes(index)
    this.#append(bytes)
    this.#flush()
    onDisk(() => fsyncSync(this.#fd))
    this.leave()
    return name
  }

  /** Writes no more into the file, whole or not. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.#fd)
  }

  /** Takes the file away, unless it is finished. */
  abandon(): void {
    this.leave()
    rmSync(this.#draft, { force: true })
  }

  #write(bytes: Uint8Array): Extent {
    const extent = { offset: this.#offset, length: bytes.length, crc: crc32(bytes) }
    this.#hash.update(bytes)
    this.#append(bytes)
    return extent
  }

  #append(bytes: Uint8Array): void {
    this.#parts.push(bytes)
    this.#waiting += bytes.length
    this.#offset += bytes.length
    if (this.#waiting >= chunkBytes) this.#flush()
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#waiting = 0
    onDisk(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at)
    })
  }
}

/** Receiver of the rows of a table, in order of their key. */
export type TableSink = {
  readonly add: (rows: readonly Row[]) => void
  /** Rows `[from, until)` of `rows`. */
  readonly addRange: (rows: RowColumns, from: number, until: number) => void
  /** The rows of `rows` that `order` names. */
  readonly addPicked: (rows: RowColumns, order: Uint32Array) => void
}

/** Groups of rows, and the fences above them. */
class Levels implements TableSink {
  readonly #shape: FrozenShape
  readonly #write: (bytes: Uint8Array) => Extent
  readonly #sink = new ByteSink()
  readonly #fences: readonly ColumnForm[]
  readonly #ids: IdFilterWriter | undefined
  /** Rows that wait for their group to be full: of the table, then of each level of fences. */
  readonly #open: RowColumns[]
  #rows = 0

  /** `ids` is told of those in the first column. */
  constructor(
    shape: FrozenShape,
    write: (bytes: Uint8Array) => Extent,
    ids: IdFilterWriter | undefined,
  ) {
    this.#shape = shape
    this.#write = write
    this.#ids = ids
    this.#fences = [...shape.forms.slice(0, shape.keyLength), ...fenceForms]
    this.#open = [RowColumns.empty(shape.forms, shape.groupRows)]
  }

  add(rows: readonly Row[]): void {
    this.#rows += rows.length
    for (const row of rows) this.#push(0, row)
  }

  addRange(rows: RowColumns, from: number, until: number): void {
    this.#inGroups(from, until, (open, at, end) => open.addRange(rows, at, end))
  }

  addPicked(rows: RowColumns, order: Uint32Array): void {
    this.#inGroups(0, order.length, (open, at, end) => open.addPicked(rows, order, at, end))
  }

  finish(): Pick<SegmentTable, 'rows' | 'levels' | 'root'> {
    if (this.#rows === 0) return { rows: 0, levels: 0 }
    for (let level = 0; ; level++) {
      const rows = itemAt(this.#open, level)
      const isTop = level === this.#open.length - 1
      if (isTop && level > 0 && rows.count === 1)
        return { rows: this.#rows, levels: level - 1, root: this.#extentOf(rows) }
      if (rows.count > 0) this.#close(level)
    }
  }

  #inGroups(
    from: number,
    until: number,
    add: (open: RowColumns, from: number, until: number) => void,
  ): void {
    this.#rows += until - from
    const open = itemAt(this.#open, 0)
    const { groupRows } = this.#shape
    for (let at = from; at < until;) {
      const end = Math.min(until, at + groupRows - open.count)
      add(open, at, end)
      at = end
      if (open.count === groupRows) this.#close(0)
    }
  }

  #push(level: number, row: Row): void {
    const rows = this.#open[level] ?? RowColumns.empty(this.#fences, rowsPerGroup)
    this.#open[level] = rows
    rows.addRow(row)
    if (rows.count === (level === 0 ? this.#shape.groupRows : rowsPerGroup)) this.#close(level)
  }

  #close(level: number): void {
    const rows = itemAt(this.#open, level)
    if (level === 0) this.#ids?.add(itemAt(rows.lanes, 0), rows.count)
    const { keyLength } = this.#shape
    const key = Array.from({ length: keyLength }, (_, column) => rows.valueAt(0, column))
    const bytes = packColumns(this.#sink, rows)
    rows.clear()
    const { offset, length, crc } = this.#write(bytes)
    this.#push(level + 1, [...key, offset, length, crc])
  }

  #extentOf(fences: RowColumns): Extent {
    const { keyLength } = this.#shape
    const numberAt = (place: number): number => Number(fences.valueAt(0, keyLength + place))
    return { offset: numberAt(0), length: numberAt(1), crc: numberAt(2) }
  }
}

/** Gives a whole file the name of a segment in its folder. Throws `store-full`, `store-failed`. */
export function placeSegment(draft: string, name: string): void {
  onDisk(() => {
    const folder = dirname(draft)
    renameSync(draft, join(folder, name + segmentEnding))
    const handle = openSync(folder, 'r')
    fsyncSync(handle)
    closeSync(handle)
  })
}

/** Does `work` on a disk. Throws `store-full`, `store-failed`. */
export function onDisk<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : ''
    if (code === '') throw error
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    throw new Fault(isFull ? 'store-full' : 'store-failed', `segment: ${error.message}`, {
      cause: error,
      detail: { code },
    })
  }
}
