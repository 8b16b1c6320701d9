/**
 * Writes a segment: tables one after another, each in order of its key.
 *
 * Rows become groups of {@link rowsPerGroup}; the first key of each group and where it lies become
 * rows of the fences above, which are packed the same way, up to one root. The file has another name
 * until it is whole and on disk: a segment is there or it is not.
 */

import { createHash, type Hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Row } from '../engine/database.ts'
import type { FrozenShape } from './frozen-shape.ts'
import { type ColumnForm, packRows, rowsPerGroup } from './packed-rows.ts'
import {
  type Extent,
  indexBytes,
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
  readonly #fd: number
  readonly #tables: SegmentTable[] = []
  #parts: Uint8Array[] = []
  #waiting = 0
  #offset = 0
  #isOpen = true
  #hash: Hash = createHash('sha256')

  /** Begins the file `draft` anew. Throws `store-full`, `store-failed`. */
  constructor(draft: string) {
    this.#draft = draft
    this.#fd = onDisk(() => openSync(draft, 'w'))
  }

  /** Writes a table: `fill` hands on its rows in order of their key. */
  async table(
    shape: FrozenShape,
    fill: (add: (rows: readonly Row[]) => void) => Promise<void>,
  ): Promise<void> {
    const offset = this.#offset
    this.#hash = createHash('sha256')
    const levels = new Levels(shape, (bytes) => this.#write(bytes))
    await fill((rows) => levels.add(rows))
    const tree = levels.finish()
    const { name, columns, forms, keyLength, leadsTo } = shape
    this.#tables.push({
      name,
      columns,
      forms,
      keyLength,
      ...(leadsTo === undefined ? {} : { leadsTo }),
      ...tree,
      section: { offset, length: this.#offset - offset, sha256: toHex(this.#hash.digest()) },
    })
  }

  /** Has the disk take what is written so far, so that the end takes a moment only. */
  settle(): void {
    this.#flush()
    onDisk(() => fsyncSync(this.#fd))
  }

  /** Ends the file and gives it its name in its folder; returns the name. */
  finish(subject: SegmentSubject): { readonly name: string; readonly sizeBytes: number } {
    const { store, genesisHash, from, until, parentHash, lastHash, firn } = subject
    // One order, whoever asks: equal segments have equal bytes.
    const named = { store, genesisHash, from, until, parentHash, lastHash, firn }
    const index = { ...named, format: segmentFormat, tables: this.#tables }
    const { bytes, name } = indexBytes(index)
    this.#append(bytes)
    this.#flush()
    onDisk(() => {
      fsyncSync(this.#fd)
      this.#close()
      const folder = dirname(this.#draft)
      renameSync(this.#draft, join(folder, name + segmentEnding))
      const handle = openSync(folder, 'r')
      fsyncSync(handle)
      closeSync(handle)
    })
    return { name, sizeBytes: this.#offset }
  }

  /** Takes the file away, unless it is finished. */
  abandon(): void {
    if (this.#isOpen) this.#close()
    rmSync(this.#draft, { force: true })
  }

  #close(): void {
    this.#isOpen = false
    closeSync(this.#fd)
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

/** Groups of rows, and the fences above them. */
class Levels {
  readonly #shape: FrozenShape
  readonly #write: (bytes: Uint8Array) => Extent
  /** Rows that wait for their group to be full: of the table, then of each level of fences. */
  readonly #open: Row[][] = [[]]
  #rows = 0

  constructor(shape: FrozenShape, write: (bytes: Uint8Array) => Extent) {
    this.#shape = shape
    this.#write = write
  }

  add(rows: readonly Row[]): void {
    this.#rows += rows.length
    for (const row of rows) this.#push(0, row)
  }

  finish(): Pick<SegmentTable, 'rows' | 'levels' | 'root'> {
    if (this.#rows === 0) return { rows: 0, levels: 0 }
    for (let level = 0; ; level++) {
      const rows = itemAt(this.#open, level)
      const isTop = level === this.#open.length - 1
      if (isTop && level > 0 && rows.length === 1)
        return { rows: this.#rows, levels: level - 1, root: extentOf(itemAt(rows, 0)) }
      if (rows.length > 0) this.#close(level)
    }
  }

  #push(level: number, row: Row): void {
    const rows = this.#open[level] ?? []
    this.#open[level] = rows
    rows.push(row)
    if (rows.length === rowsPerGroup) this.#close(level)
  }

  #close(level: number): void {
    const rows = itemAt(this.#open, level)
    this.#open[level] = []
    const { forms, keyLength } = this.#shape
    const keys = forms.slice(0, keyLength)
    const bytes = packRows(level === 0 ? forms : [...keys, ...fenceForms], rows)
    const { offset, length, crc } = this.#write(bytes)
    this.#push(level + 1, [...itemAt(rows, 0).slice(0, keyLength), offset, length, crc])
  }
}

function extentOf(fence: Row): Extent {
  const at = fence.length - fenceForms.length
  const numberAt = (place: number): number => Number(itemAt(fence, at + place))
  return { offset: numberAt(0), length: numberAt(1), crc: numberAt(2) }
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
