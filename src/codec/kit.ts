/**
 * The declarative codec kit: a wire format is a value, and decoding, encoding and the TypeScript
 * type follow from it.
 *
 * Everything is big-endian with u32 counts, as in avalanchego codec/linearcodec. Formats are
 * plain functions over a cursor. Every sequence has a maximum, so hostile bytes cannot make us
 * hold more than they weigh. Records own their bytes: nothing decoded is a view on the input,
 * except what {@link sliced} says is one.
 *
 * Deliberately not here: text forms, hashes, formats of any chain.
 */

import { Fault, faultOf } from '../core/fault.ts'

/** Where reading stands. `trail` fills from the inside out while a fault travels up. */
export type Cursor = {
  readonly bytes: Uint8Array
  readonly view: DataView
  at: number
  readonly trail: string[]
}

/** Where writing stands: a buffer that grows. */
export type Writer = { bytes: Uint8Array; view: DataView; at: number }

/** How a value of `T` looks as bytes. */
export type Format<T> = {
  readonly read: (cursor: Cursor) => T
  // A method, so that a format of some record is also a `Format<unknown>`.
  write(writer: Writer, value: T): void
  /** Moves past a value without building it; `read` does where this is missing. */
  readonly skip?: (cursor: Cursor) => void
}

/** The value a format decodes to. */
export type Decoded<F> = F extends Format<infer T> ? T : never

/** A format of named fields; `fill` reads them into a record begun by somebody else. */
export type Struct<T> = Format<T> & {
  readonly fill: (cursor: Cursor, record: Record<string, unknown>) => void
}

/** A value together with the very bytes it was read from; the bytes are a view on the input. */
export type Sliced<T> = { readonly record: T; readonly bytes: Uint8Array }

type Fields = Readonly<Record<string, Format<unknown>>>
type RecordOf<F extends Fields> = { readonly [K in keyof F]: Decoded<F[K]> }
type Variants = Readonly<Record<number, Struct<unknown>>>
type VariantOf<V extends Variants> = {
  readonly [K in keyof V & number]: { readonly typeId: K } & Decoded<V[K]>
}[keyof V & number]

/** The value of `bytes`, all of them. Throws `bad-bytes` with `offset` and `path`. */
export function decode<T>(format: Format<T>, bytes: Uint8Array): T {
  const { value, until } = decodePrefix(format, bytes)
  if (until !== bytes.length) {
    throw new Fault('bad-bytes', `bytes left over after the value: ${bytes.length - until}`, {
      detail: { offset: until, size: bytes.length },
    })
  }
  return value
}

/** The value that begins at `from`, and the offset after it. Throws `bad-bytes`. */
export function decodePrefix<T>(
  format: Format<T>,
  bytes: Uint8Array,
  from = 0,
): { readonly value: T; readonly until: number } {
  const cursor: Cursor = {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    at: from,
    trail: [],
  }
  try {
    return { value: format.read(cursor), until: cursor.at }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined || cursor.trail.length === 0) throw error
    const path = cursor.trail.reverse().join('.')
    throw new Fault(fault.code, `${path}: ${fault.message}`, {
      detail: { ...fault.detail, path },
      cause: error,
    })
  }
}

// One writer serves call after call; whoever writes inside of a write gets another.
const keptBytes = 65_536
let spare: Writer | undefined

function newWriter(): Writer {
  const bytes = new Uint8Array(512)
  return { bytes, view: new DataView(bytes.buffer), at: 0 }
}

/** The bytes of `value`. Throws `bad-bytes` when a value does not fit its format. */
export function encode<T>(format: Format<T>, value: T): Uint8Array {
  const writer = spare ?? newWriter()
  spare = undefined
  writer.at = 0
  format.write(writer, value)
  const bytes = writer.bytes.slice(0, writer.at)
  if (writer.bytes.length <= keptBytes) spare = writer
  return bytes
}

/** A fault at the cursor, for formats with rules of their own. */
export function badBytes(cursor: Cursor, message: string, offset = cursor.at): Fault {
  return new Fault('bad-bytes', message, { detail: { offset, size: cursor.bytes.length } })
}

/** Moves the cursor over `size` bytes and gives where they began. Throws `bad-bytes`. */
export function take(cursor: Cursor, size: number): number {
  const from = cursor.at
  if (from + size > cursor.bytes.length) {
    throw badBytes(
      cursor,
      `bytes end before the field does: ${cursor.bytes.length} of ${from + size}`,
    )
  }
  cursor.at = from + size
  return from
}

/** Makes room for `size` bytes and gives where they begin. */
export function room(writer: Writer, size: number): number {
  const from = writer.at
  const until = from + size
  if (until > writer.bytes.length) {
    const grown = new Uint8Array(Math.max(until, writer.bytes.length * 2))
    grown.set(writer.bytes)
    writer.bytes = grown
    writer.view = new DataView(grown.buffer)
  }
  writer.at = until
  return from
}

function checkUnsigned(value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new Fault('bad-bytes', `not an integer from 0 to ${max}: ${value}`)
  }
}

/** Unsigned byte. */
export const u8: Format<number> = {
  read: (cursor) => cursor.view.getUint8(take(cursor, 1)),
  write: (writer, value) => {
    checkUnsigned(value, 0xff)
    const at = room(writer, 1)
    writer.view.setUint8(at, value)
  },
}

/** Unsigned 16-bit integer. */
export const u16: Format<number> = {
  read: (cursor) => cursor.view.getUint16(take(cursor, 2)),
  write: (writer, value) => {
    checkUnsigned(value, 0xffff)
    const at = room(writer, 2)
    writer.view.setUint16(at, value)
  },
}

/** Unsigned 32-bit integer. */
export const u32: Format<number> = {
  read: (cursor) => cursor.view.getUint32(take(cursor, 4)),
  write: (writer, value) => {
    checkUnsigned(value, 0xffff_ffff)
    const at = room(writer, 4)
    writer.view.setUint32(at, value)
  },
}

/** Unsigned 64-bit integer. */
export const u64: Format<bigint> = {
  read: (cursor) => cursor.view.getBigUint64(take(cursor, 8)),
  write: (writer, value) => {
    if (value !== BigInt.asUintN(64, value)) throw new Fault('bad-bytes', `not a u64: ${value}`)
    const at = room(writer, 8)
    writer.view.setBigUint64(at, value)
  },
}

/** Signed 64-bit integer. */
export const i64: Format<bigint> = {
  read: (cursor) => cursor.view.getBigInt64(take(cursor, 8)),
  write: (writer, value) => {
    if (value !== BigInt.asIntN(64, value)) throw new Fault('bad-bytes', `not an i64: ${value}`)
    const at = room(writer, 8)
    writer.view.setBigInt64(at, value)
  },
}

/** One byte, 0 or 1; anything else is a fault. */
export const bool: Format<boolean> = {
  read: (cursor) => {
    const byte = cursor.view.getUint8(take(cursor, 1))
    if (byte > 1) throw badBytes(cursor, `not a boolean: ${byte}`, cursor.at - 1)
    return byte === 1
  },
  write: (writer, value) => u8.write(writer, value ? 1 : 0),
}

/** Exactly `size` bytes. */
export function fixed(size: number): Format<Uint8Array> {
  return {
    read: (cursor) => {
      const from = take(cursor, size)
      return cursor.bytes.slice(from, from + size)
    },
    write: (writer, value) => {
      if (value.length !== size) {
        throw new Fault('bad-bytes', `not ${size} bytes: ${value.length}`)
      }
      const at = room(writer, size)
      writer.bytes.set(value, at)
    },
    skip: (cursor) => {
      take(cursor, size)
    },
  }
}

/**
 * Exactly `size` bytes that are nearly always the same as last time, such as an asset's id: equal
 * ones are one array, made once, that nobody may change.
 */
export function recurring(size: number): Format<Uint8Array> {
  const plain = fixed(size)
  let last: Uint8Array = new Uint8Array(size)
  return {
    ...plain,
    read: (cursor) => {
      const from = take(cursor, size)
      const { bytes: input } = cursor
      for (let at = 0; at < size; at++) {
        if (input[from + at] !== last[at]) {
          last = input.slice(from, from + size)
          break
        }
      }
      return last
    },
  }
}

const noBytes = new Uint8Array(0)

/** A u32 length and that many bytes, at most `max`. */
export function bytes(max: number): Format<Uint8Array> {
  return {
    read: (cursor) => {
      const size = readCount(cursor, max)
      const from = take(cursor, size)
      return size === 0 ? noBytes : cursor.bytes.slice(from, from + size)
    },
    write: (writer, value) => {
      writeCount(writer, value.length, max)
      const at = room(writer, value.length)
      writer.bytes.set(value, at)
    },
    skip: (cursor) => {
      take(cursor, readCount(cursor, max))
    },
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const looseUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const toUtf8 = new TextEncoder()

/**
 * A u16 length and that many bytes of UTF-8, at most `max`.
 *
 * Nodes do not check that the bytes are UTF-8. Where they are not, each bad byte reads as U+FFFD
 * and the text cannot be encoded back to the same bytes.
 */
export function text(max: number): Format<string> {
  return {
    read: (cursor) => {
      const from = take(cursor, 2)
      const size = cursor.view.getUint16(from)
      if (size > max) throw badBytes(cursor, `text longer than ${max} bytes: ${size}`, from)
      const start = take(cursor, size)
      return readUtf8(cursor.bytes.subarray(start, start + size))
    },
    write: (writer, value) => {
      const encoded = toUtf8.encode(value)
      if (encoded.length > max) {
        throw new Fault('bad-bytes', `text longer than ${max} bytes: ${encoded.length}`)
      }
      u16.write(writer, encoded.length)
      const at = room(writer, encoded.length)
      writer.bytes.set(encoded, at)
    },
  }
}

function readUtf8(encoded: Uint8Array): string {
  let ascii = true
  for (let at = 0; at < encoded.length && ascii; at++) ascii = (encoded[at] ?? 0) < 0x80
  if (ascii && encoded.length < 64) return String.fromCharCode(...encoded)
  try {
    return strictUtf8.decode(encoded)
  } catch (error) {
    if (error instanceof TypeError) return looseUtf8.decode(encoded)
    throw error
  }
}

function readCount(cursor: Cursor, max: number): number {
  const from = take(cursor, 4)
  const count = cursor.view.getUint32(from)
  if (count > max) throw badBytes(cursor, `more than ${max} items: ${count}`, from)
  return count
}

function writeCount(writer: Writer, count: number, max: number): void {
  if (count > max) throw new Fault('bad-bytes', `more than ${max} items: ${count}`)
  u32.write(writer, count)
}

/** A u32 count and that many items, at most `max`. */
export function array<T>(item: Format<T>, max: number): Format<readonly T[]> {
  return {
    read: (cursor) => {
      const count = readCount(cursor, max)
      const items: T[] = []
      try {
        while (items.length < count) items.push(item.read(cursor))
      } catch (error) {
        cursor.trail.push(String(items.length))
        throw error
      }
      return items
    },
    write: (writer, value) => {
      writeCount(writer, value.length, max)
      for (const one of value) item.write(writer, one)
    },
    skip: (cursor) => {
      const skip = item.skip ?? item.read
      const count = readCount(cursor, max)
      for (let at = 0; at < count; at++) skip(cursor)
    },
  }
}

/** Named fields, in this order. */
export function struct<F extends Fields>(fields: F): Struct<RecordOf<F>> {
  const names = Object.keys(fields)
  const formats = Object.values(fields)
  const skips = formats.map((format) => format.skip ?? format.read)
  const fill = (cursor: Cursor, record: Record<string, unknown>): void => {
    let at = 0
    try {
      for (; at < names.length; at++) record[names[at] ?? ''] = formats[at]?.read(cursor)
    } catch (error) {
      cursor.trail.push(names[at] ?? '')
      throw error
    }
  }
  return {
    fill,
    read: (cursor) => {
      const record = {}
      fill(cursor, record)
      // `fill` has just set every key of `fields` to a value of that field's format.
      return record as RecordOf<F>
    },
    write: (writer, value) => {
      for (let at = 0; at < names.length; at++) formats[at]?.write(writer, value[names[at] ?? ''])
    },
    skip: (cursor) => {
      for (const skip of skips) skip(cursor)
    },
  }
}

/** A format of no bytes: the record `{}`. */
export const nothing: Struct<object> = struct({})

/**
 * One of several structs, told apart by a u32 type id before them; the record carries it as
 * `typeId`. An unknown id is `bad-bytes` with the id and offset, never a skip.
 */
export function union<V extends Variants>(variants: V): Format<VariantOf<V>> {
  const byId: (Struct<unknown> | undefined)[] = []
  for (const [id, variant] of Object.entries(variants)) byId[Number(id)] = variant
  return {
    read: (cursor) => {
      const from = take(cursor, 4)
      const typeId = cursor.view.getUint32(from)
      const variant = byId[typeId]
      if (variant === undefined) throw unknownType(cursor, typeId, from)
      const record: Record<string, unknown> = { typeId }
      variant.fill(cursor, record)
      // The variant chosen by `typeId` has just filled its fields.
      return record as VariantOf<V>
    },
    write: (writer, value) => {
      // The declared type promises a `typeId`; generic inference cannot see it.
      const { typeId } = value as { readonly typeId: number }
      const variant = byId[typeId]
      if (variant === undefined) throw new Fault('bad-bytes', `unknown type id: ${typeId}`)
      u32.write(writer, typeId)
      variant.write(writer, value)
    },
    skip: (cursor) => {
      const from = take(cursor, 4)
      const typeId = cursor.view.getUint32(from)
      const variant = byId[typeId]
      if (variant === undefined) throw unknownType(cursor, typeId, from)
      const skip = variant.skip ?? variant.read
      skip(cursor)
    },
  }
}

function unknownType(cursor: Cursor, typeId: number, offset: number): Fault {
  return new Fault('bad-bytes', `unknown type id: ${typeId}`, {
    detail: { typeId, offset, size: cursor.bytes.length },
  })
}

/** `format` after a u32 type id that must be `typeId`. */
export function tagged<T>(typeId: number, format: Format<T>): Format<T> {
  return {
    read: (cursor) => {
      const from = take(cursor, 4)
      const found = cursor.view.getUint32(from)
      if (found !== typeId) throw unknownType(cursor, found, from)
      return format.read(cursor)
    },
    write: (writer, value) => {
      u32.write(writer, typeId)
      format.write(writer, value)
    },
  }
}

/** `format` after the u16 codec version 0, as every top-level object begins. */
export function versioned<T>(format: Format<T>): Format<T> {
  return {
    read: (cursor) => {
      const version = u16.read(cursor)
      if (version !== 0) {
        throw badBytes(cursor, `unknown codec version: ${version}`, cursor.at - 2)
      }
      return format.read(cursor)
    },
    write: (writer, value) => {
      u16.write(writer, 0)
      format.write(writer, value)
    },
  }
}

/** `format`, keeping the bytes each value was read from. Encoding writes the record. */
export function sliced<T>(format: Format<T>): Format<Sliced<T>> {
  return {
    read: (cursor) => {
      const from = cursor.at
      const record = format.read(cursor)
      return { record, bytes: cursor.bytes.subarray(from, cursor.at) }
    },
    write: (writer, value) => format.write(writer, value.record),
  }
}

/**
 * The bytes of a `format`, checked but not built: for parts nobody looks at. They are a view on the
 * input.
 */
export function unread<T>(format: Format<T>): Format<Uint8Array> {
  const skip = format.skip ?? format.read
  return {
    read: (cursor) => {
      const from = cursor.at
      skip(cursor)
      return cursor.bytes.subarray(from, cursor.at)
    },
    write: (writer, value) => {
      decode(format, value)
      const at = room(writer, value.length)
      writer.bytes.set(value, at)
    },
  }
}
