/**
 * The index of a segment, at the end of its file: what the segment says of itself.
 *
 *     sections: rows of each table, in groups, and its filter | index, JSON | trailer
 *     trailer: u32 bytes of the index | u32 format | 32 bytes SHA-256 of the index | "FIRN ICE"
 *
 * The index has the hash of every section, so the hash of the index names all that is in the file:
 * it is the segment's name.
 */

import { createHash } from 'node:crypto'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { ColumnForm } from './row-columns.ts'

/** Newest format that this product reads, and the one it writes. */
export const segmentFormat = 4
/** The format before it, in which tables have no filters: it is read, and written to put a lost segment back. */
export const unfilteredFormat = 3
/** Formats that this product reads. */
export type SegmentFormat = typeof segmentFormat | typeof unfilteredFormat
/** Bytes at the end of a file. */
export const trailerBytes = 48
/** An index has some hundred bytes for each of some twenty tables. */
const maxIndexBytes = 1_048_576

const magic = Buffer.from('FIRN ICE')

/** Where a checked piece of the file lies. */
export type Extent = { readonly offset: number; readonly length: number; readonly crc: number }

/** Where the directory of a filter lies, and the number of its chunks. */
export type FilterExtent = Extent & { readonly chunks: number }

/** A table of a segment: `root` leads to its groups over `levels` of fences. */
export type SegmentTable = {
  readonly name: string
  readonly columns: readonly string[]
  readonly forms: readonly ColumnForm[]
  readonly keyLength: number
  readonly groupRows: number
  readonly leadsTo?: string
  readonly freezes?: 'running' | 'firsts'
  readonly rows: number
  /** 0: the root is the only group of rows. */
  readonly levels: number
  /** Absent where there are no rows. */
  readonly root?: Extent
  /** Of the ids in the first column; absent where it has none, and in segments of older formats. */
  readonly filter?: FilterExtent
  /** All groups and fences of the table, and its filter. */
  readonly section: { readonly offset: number; readonly length: number; readonly sha256: string }
}

/** Chain and range of a segment. */
export type SegmentSubject = {
  /** Name of the store, and `0x` hash of the chain's genesis. */
  readonly store: string
  readonly genesisHash: string
  /** Heights, half-open. */
  readonly from: number
  readonly until: number
  /** Hash of block `from - 1` where it is known, and of `until - 1`; hex. */
  readonly parentHash: string
  readonly lastHash: string
  /** Version of the product that wrote it. */
  readonly firn: string
}

/** The index of a segment. */
export type SegmentIndex = SegmentSubject & {
  readonly format: SegmentFormat
  readonly tables: readonly SegmentTable[]
}

/** Index and trailer as the end of a file, and the name they give it. */
export function indexBytes(index: SegmentIndex): {
  readonly bytes: Uint8Array
  readonly name: string
} {
  const text = Buffer.from(JSON.stringify(index))
  const hash = createHash('sha256').update(text).digest()
  const name = nameOf(hash)
  const head = Buffer.alloc(8)
  head.writeUInt32LE(text.length, 0)
  head.writeUInt32LE(index.format, 4)
  return { bytes: Buffer.concat([text, head, hash, magic]), name }
}

/** Name of the segment whose index has a hash. */
export function nameOf(hash: Uint8Array): string {
  return toHex(hash.subarray(0, 16))
}

/** Reads a trailer: bytes of the index, its format, and its hash. Throws `store-version`, `store-failed`. */
export function readTrailer(bytes: Uint8Array): {
  readonly length: number
  readonly format: SegmentFormat
  readonly hash: Uint8Array
} {
  const trailer = Buffer.from(bytes)
  if (trailer.length !== trailerBytes || !trailer.subarray(40).equals(magic))
    throw new Fault('store-failed', 'file is no segment, or is cut off')
  const format = trailer.readUInt32LE(4)
  if (format !== segmentFormat && format !== unfilteredFormat) {
    const known = `${unfilteredFormat} and ${segmentFormat}`
    throw new Fault('store-version', `segment has another format than ${known}: ${format}`)
  }
  const length = trailer.readUInt32LE(0)
  if (length > maxIndexBytes) throw new Fault('store-failed', `index is too long: ${length}`)
  return { length, format, hash: trailer.subarray(8, 40) }
}

/** Throws `store-failed` where the hash of an index, `text`, is not `hash`. */
export function checkIndexHash(text: Uint8Array, hash: Uint8Array): void {
  const found = createHash('sha256').update(text).digest()
  if (!found.equals(hash)) throw new Fault('store-failed', 'index of the segment is damaged')
}
