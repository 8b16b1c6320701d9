/**
 * Kinds of columns that decoded EVM batches have: how they grow, and how several become one.
 *
 * Each kind has one loop for its columns in all tables, so that the loop meets one kind of memory.
 */

import {
  type ColumnKind,
  columnKind,
  type ColumnTable,
  type Kinds,
  type TakenColumns,
} from '../../../core/columns.ts'
import { Doubles, Words } from '../../../core/growing.ts'
import { itemAt, u32At } from '../../../core/item-at.ts'
import { Bytes, GrowingSlices } from './growing.ts'

/** No address: `to` of a creation, `created` of anything else. */
export const noAddress = 0xffff_ffff

/**
 * Byte strings in `BatchBase.arena`: item `i` is `arena[offset[i], offset[i] + length[i])`.
 *
 * Integers are big-endian without leading zero bytes; zero has length 0.
 */
export type Slices = { readonly offset: Uint32Array; readonly length: Uint32Array }

/** Changes to the numbers of several batches when they are joined. */
export type Moves = {
  /** Offset added to places in the arena. */
  readonly arena: readonly number[]
  /** Offset added to row numbers of the table that contains a table's rows. */
  readonly rows: readonly number[]
  /** New number of each address. */
  readonly addresses: readonly Uint32Array[]
}

type EvmKind<Growing, Taken> = ColumnKind<Growing, Taken, Bytes> & {
  /** The columns of several batches as one. */
  joined(parts: readonly Taken[], moves: Moves): Taken
}

const growingWords = columnKind((rows) => new Words(rows))

/** Integers below 2^32. */
export const words: EvmKind<Words, Uint32Array> = { ...growingWords, joined: joinedWords }

/** Numbers. */
export const doubles: EvmKind<Doubles, Float64Array> = {
  ...columnKind((rows) => new Doubles(rows)),
  joined: (parts) => joinedIn(new Float64Array(lengthOf(parts)), parts),
}

/** Integers below 256. */
export const smalls: EvmKind<Bytes, Uint8Array> = {
  ...columnKind((rows) => new Bytes(rows)),
  joined: joinedBytes,
}

/** Hashes, 32 bytes each. */
export const hashes: EvmKind<Bytes, Uint8Array> = {
  ...columnKind((rows) => new Bytes(rows * 32)),
  rowsOf: ({ length }) => length / 32,
  joined: joinedBytes,
}

/** Byte strings of the batch's arena. */
export const slices: EvmKind<GrowingSlices, Slices> = {
  growing: (rows, arena) => new GrowingSlices(arena, rows),
  rowsOf: ({ offset }) => offset.length,
  taken: (column) => column.taken(),
  joined: (parts, { arena }) => ({
    offset: shifted(
      parts.map(({ offset }) => offset),
      arena,
    ),
    length: joinedWords(parts.map(({ length }) => length)),
  }),
}

/** Addresses, by their places in the batch. */
export const addresses: EvmKind<Words, Uint32Array> = {
  ...growingWords,
  joined: (parts, moves) => {
    const all = new Uint32Array(lengthOf(parts))
    let to = 0
    for (const [part, values] of parts.entries()) {
      const map = itemAt(moves.addresses, part)
      for (let at = 0; at < values.length; at++) {
        const place = u32At(values, at)
        all[to++] = place === noAddress ? noAddress : u32At(map, place)
      }
    }
    return all
  },
}

/** Rows of the table in which this table's rows lie. */
export const rows: EvmKind<Words, Uint32Array> = {
  ...growingWords,
  joined: (parts, moves) => shifted(parts, moves.rows),
}

/** The columns of several batches as one; `moves.rows` are those of the table they lie in. */
export function joinedColumns<
  K extends Kinds & Readonly<Record<string, EvmKind<unknown, unknown>>>,
>(table: ColumnTable<K>, parts: readonly TakenColumns<K>[], moves: Moves): TakenColumns<K> {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  return table.made(count, (kind, name) =>
    kind.joined(
      parts.map((part) => part[name]),
      moves,
    ),
  )
}

/** Byte strings one after the other. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  return joinedIn(new Uint8Array(lengthOf(parts)), parts)
}

function joinedWords(parts: readonly Uint32Array[]): Uint32Array {
  return joinedIn(new Uint32Array(lengthOf(parts)), parts)
}

function joinedIn<A extends Uint8Array | Uint32Array | Float64Array>(
  all: A,
  parts: readonly ArrayLike<number>[],
): A {
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function shifted(parts: readonly Uint32Array[], shifts: readonly number[]): Uint32Array {
  const all = new Uint32Array(lengthOf(parts))
  let to = 0
  for (const [part, values] of parts.entries()) {
    const shift = itemAt(shifts, part)
    for (let at = 0; at < values.length; at++) all[to++] = u32At(values, at) + shift
  }
  return all
}

function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
