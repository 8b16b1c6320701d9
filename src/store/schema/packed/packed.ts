/**
 * Short lists of plain values as bytes: what a row knows but no question filters or sorts by.
 *
 * A value is a tag byte and its content. Numbers are unsigned LEB128; bigints have a length and
 * big-endian magnitude; trailing absent values are left out, so that a list may grow at its end.
 */

import { fromBigint, toBigint } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { u8At } from '../../../core/item-at.ts'

/** Values that can be packed. Numbers are integers from 0 to 2^53. */
export type Packable = undefined | number | bigint | string | Uint8Array | readonly Packable[]

const tags = { absent: 0, number: 1, bigint: 2, negative: 3, bytes: 4, text: 5, list: 6 } as const
const toUtf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

// From here on a copy by the runtime is faster than a loop.
const shortBytes = 24

/** Memory that records are packed into, one after the other; it grows by doubling. */
export type PackArena = { bytes: Uint8Array<ArrayBuffer>; used: number }

/** The first `count` values of `bytes`, and what follows unread. Throws as {@link unpack}. */
export function unpackFirst(bytes: Uint8Array, count: number): readonly Packable[] {
  const cursor = { bytes, at: 0 }
  return readValues(cursor, Math.min(count, readLeb(cursor)))
}

/** The values of `bytes`, as many as were packed. Throws `store-failed` on anything else. */
export function unpack(bytes: Uint8Array): readonly Packable[] {
  const cursor = { bytes, at: 0 }
  const values = readList(cursor)
  if (cursor.at !== bytes.length) throw damaged()
  return values
}

/** The values of lists that were packed one after the other. Throws as {@link unpack}. */
export function unpackEach(bytes: Uint8Array): (readonly Packable[])[] {
  const cursor = { bytes, at: 0 }
  const lists: (readonly Packable[])[] = []
  while (cursor.at < bytes.length) lists.push(readList(cursor))
  return lists
}

/** Says how many values of a list follow; the outermost has no tag. */
export function writeCount(arena: PackArena, count: number): void {
  leb(arena, count)
}

/** A list; its length and values follow. */
export function writeList(arena: PackArena): void {
  tag(arena, tags.list)
}

/** Nothing. */
export function writeAbsent(arena: PackArena): void {
  tag(arena, tags.absent)
}

/** A number. */
export function writeNumber(arena: PackArena, value: number): void {
  tag(arena, tags.number)
  leb(arena, value)
}

/** Bytes. */
export function writeBytes(arena: PackArena, value: Uint8Array): void {
  sized(arena, tags.bytes, value)
}

/** Text. */
export function writeText(arena: PackArena, value: string): void {
  sized(arena, tags.text, toUtf8.encode(value))
}

/** A bigint. Its length is that of its hex digits: 0 has one byte. */
export function writeBigint(arena: PackArena, value: bigint): void {
  const magnitude = value < 0n ? -value : value
  tag(arena, value < 0n ? tags.negative : tags.bigint)
  const number = Number(magnitude)
  if (number <= Number.MAX_SAFE_INTEGER) writeMagnitude(arena, number)
  else {
    const size = Math.ceil(magnitude.toString(16).length / 2)
    leb(arena, size)
    append(arena, fromBigint(magnitude, size))
  }
}

/** A magnitude that is exact in a double, without going by way of text. */
function writeMagnitude(arena: PackArena, magnitude: number): void {
  const high = Math.floor(magnitude / 2 ** 32)
  const low = magnitude >>> 0
  const size = high > 0 ? 4 + bytesIn(high) : bytesIn(low)
  leb(arena, size)
  const bytes = roomFor(arena, size)
  let at = arena.used
  for (let left = size; left > 4; left--) bytes[at++] = high >>> ((left - 5) * 8)
  for (let left = Math.min(size, 4); left > 0; left--) bytes[at++] = low >>> ((left - 1) * 8)
  arena.used = at
}

/** Bytes of an integer below 2^32; 0 has one. */
function bytesIn(value: number): number {
  return Math.max(1, Math.ceil((32 - Math.clz32(value)) / 8))
}

function sized(arena: PackArena, kind: number, bytes: Uint8Array): void {
  tag(arena, kind)
  leb(arena, bytes.length)
  append(arena, bytes)
}

function tag(arena: PackArena, kind: number): void {
  const bytes = roomFor(arena, 1)
  bytes[arena.used++] = kind
}

function append(arena: PackArena, value: Uint8Array): void {
  const size = value.length
  const bytes = roomFor(arena, size)
  const from = arena.used
  // Short ones are copied here: the call would take longer.
  if (size <= shortBytes) for (let at = 0; at < size; at++) bytes[from + at] = u8At(value, at)
  else bytes.set(value, from)
  arena.used = from + size
}

function leb(arena: PackArena, value: number): void {
  // Seven bits a byte: 53 bits take eight.
  const bytes = roomFor(arena, 8)
  let at = arena.used
  let rest = value
  if (rest >= 2 ** 31) {
    if (!Number.isSafeInteger(value)) throw notPackable(value)
    for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128
  }
  let low = rest | 0
  if (low !== rest || low < 0) throw notPackable(value)
  for (; low > 127; low >>>= 7) bytes[at++] = (low & 127) | 128
  bytes[at++] = low
  arena.used = at
}

function notPackable(value: number): Fault {
  return new Fault('store-failed', `only integers from 0 can be packed: ${value}`)
}

/** The memory of an arena, which has room for `size` more bytes. */
function roomFor(arena: PackArena, size: number): Uint8Array<ArrayBuffer> {
  const { bytes, used } = arena
  return used + size <= bytes.length ? bytes : grown(arena, size)
}

function grown(arena: PackArena, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * (arena.used + size))
  bytes.set(arena.bytes.subarray(0, arena.used))
  arena.bytes = bytes
  return bytes
}

type Cursor = { readonly bytes: Uint8Array; at: number }

function readList(cursor: Cursor): readonly Packable[] {
  return readValues(cursor, readLeb(cursor))
}

function readValues(cursor: Cursor, count: number): readonly Packable[] {
  const values: Packable[] = []
  while (values.length < count) values.push(readOne(cursor))
  return values
}

function readOne(cursor: Cursor): Packable {
  const tag = cursor.bytes[cursor.at++]
  switch (tag) {
    case tags.absent:
      return undefined
    case tags.number:
      return readLeb(cursor)
    case tags.bigint:
      return toBigint(readSized(cursor))
    case tags.negative:
      return -toBigint(readSized(cursor))
    case tags.bytes:
      return readSized(cursor)
    case tags.text:
      return fromUtf8.decode(readSized(cursor))
    case tags.list:
      return readList(cursor)
    default:
      throw damaged()
  }
}

function readSized(cursor: Cursor): Uint8Array {
  const size = readLeb(cursor)
  const from = cursor.at
  if (from + size > cursor.bytes.length) throw damaged()
  cursor.at += size
  return cursor.bytes.subarray(from, from + size)
}

function readLeb(cursor: Cursor): number {
  let value = 0
  for (let unit = 1; ; unit *= 128) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) throw damaged()
    value += (byte & 127) * unit
    if (byte < 128) return value
  }
}

function damaged(): Fault {
  return new Fault('store-failed', 'a packed value is damaged')
}
