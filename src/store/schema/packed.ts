/**
 * Short lists of plain values as bytes: what a row knows but no question filters or sorts by.
 *
 * A value is a tag byte and its content. Numbers are unsigned LEB128; bigints have a length and
 * big-endian magnitude; trailing absent values are left out, so that a list may grow at its end.
 */

import { concatBytes, fromBigint, toBigint } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'

/** What can be packed. Numbers are integers from 0 to 2^53. */
export type Packable = undefined | number | bigint | string | Uint8Array | readonly Packable[]

const tags = { absent: 0, number: 1, bigint: 2, negative: 3, bytes: 4, text: 5, list: 6 } as const
const toUtf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** The bytes of `values`. */
export function pack(values: readonly Packable[]): Uint8Array {
  const parts: Uint8Array[] = []
  packList(values, parts)
  return concatBytes(...parts)
}

/** The values of `bytes`, as many as were packed. Throws `store-failed` on anything else. */
export function unpack(bytes: Uint8Array): readonly Packable[] {
  const cursor = { bytes, at: 0 }
  const values = readList(cursor)
  if (cursor.at !== bytes.length) throw damaged()
  return values
}

function packList(values: readonly Packable[], parts: Uint8Array[]): void {
  let count = values.length
  while (count > 0 && values[count - 1] === undefined) count--
  parts.push(leb(count))
  for (let at = 0; at < count; at++) packOne(values[at], parts)
}

function packOne(value: Packable, parts: Uint8Array[]): void {
  if (value === undefined) parts.push(Uint8Array.of(tags.absent))
  else if (typeof value === 'number') parts.push(Uint8Array.of(tags.number), leb(value))
  else if (typeof value === 'bigint') packBigint(value, parts)
  else if (typeof value === 'string') sized(tags.text, toUtf8.encode(value), parts)
  else if (value instanceof Uint8Array) sized(tags.bytes, value, parts)
  else {
    parts.push(Uint8Array.of(tags.list))
    packList(value, parts)
  }
}

function packBigint(value: bigint, parts: Uint8Array[]): void {
  const magnitude = value < 0n ? -value : value
  const size = Math.ceil(magnitude.toString(16).length / 2)
  sized(value < 0n ? tags.negative : tags.bigint, fromBigint(magnitude, size), parts)
}

function sized(tag: number, bytes: Uint8Array, parts: Uint8Array[]): void {
  parts.push(Uint8Array.of(tag), leb(bytes.length), bytes)
}

function leb(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Fault('store-failed', `only integers from 0 can be packed: ${value}`)
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return Uint8Array.from(bytes)
}

type Cursor = { readonly bytes: Uint8Array; at: number }

function readList(cursor: Cursor): readonly Packable[] {
  const count = readLeb(cursor)
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
