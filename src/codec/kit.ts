/**
 * The declarative codec kit: a wire format is a value, and decoding, encoding and the TypeScript
 * type follow from it.
 *
 * Formats are plain functions over a cursor. Every sequence has a maximum, so hostile bytes cannot
 * make us hold more than they weigh. Records own their bytes: nothing decoded is a view on the
 * input, except what {@link sliced} says is one.
 *
 * Deliberately not here: text forms, hashes, formats of any chain.
 */

import { functionOfText } from '../core/columns.ts'
import { Fault } from '../core/fault.ts'
import { itemAt } from '../core/item-at.ts'
import { badBytes, type Cursor, decode, type Decoded, type Format, room, take } from './cursor.ts'
import { readCount, u16, u32, writeCount } from './primitives.ts'

/** A format of named fields. */
export type Struct<T> = Format<T> & { readonly fields: Fields }

/** A value together with the very bytes it was read from; the bytes are a view on the input. */
export type Sliced<T> = { readonly record: T; readonly bytes: Uint8Array }

type Fields = Readonly<Record<string, Format<unknown>>>
type RecordOf<F extends Fields> = { readonly [K in keyof F]: Decoded<F[K]> }
type Variants = Readonly<Record<number, Struct<unknown>>>
type VariantOf<V extends Variants> = {
  readonly [K in keyof V & number]: { readonly typeId: K } & Decoded<V[K]>
}[keyof V & number]

// A count is believed only up to this before the items have been read.
const roomAtFirst = 16

/** A u32 count and that many items, at most `max`. */
export function array<T>(item: Format<T>, max: number): Format<readonly T[]> {
  return {
    read: (cursor) => {
      const count = readCount(cursor, max)
      // A list that is pushed to has room for 17, and most are short.
      const items = Array<T>(Math.min(count, roomAtFirst))
      let at = 0
      try {
        for (; at < count; at++) items[at] = item.read(cursor)
      } catch (error) {
        cursor.trail.push(String(at))
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

/**
 * Reads these fields, in this order, into a record that begins with `typeId` where there is one.
 * One function for each list of fields: see `core/columns.ts`.
 */
function readerOf(fields: Fields, typeId?: number): (cursor: Cursor) => Record<string, unknown> {
  const names = Object.keys(fields)
  const formats = Object.values(fields)
  const read = names.map((_, at) => `at = ${at}; const field${at} = format${at}.read(cursor)`)
  const named = names.map((name, at) => `${JSON.stringify(name)}: field${at},`)
  return functionOfText(
    { names, formats },
    `const [${names.map((_, at) => `format${at}`).join()}] = formats
    return (cursor) => {
      let at = 0
      try {
        ${read.join('\n')}
        return { ${typeId === undefined ? '' : `typeId: ${typeId},`} ${named.join(' ')} }
      } catch (error) {
        cursor.trail.push(names[at])
        throw error
      }
    }`,
  )
}

/** Named fields, in this order. */
export function struct<F extends Fields>(fields: F): Struct<RecordOf<F>> {
  const names = Object.keys(fields)
  const formats = Object.values(fields)
  const skips = formats.map((format) => format.skip ?? format.read)
  return {
    fields,
    // Each key of `fields` has a value of that field's format.
    read: readerOf(fields) as (cursor: Cursor) => RecordOf<F>,
    write: (writer, value) => {
      for (let at = 0; at < names.length; at++)
        itemAt(formats, at).write(writer, value[itemAt(names, at)])
    },
    skip: (cursor) => {
      for (const skip of skips) skip(cursor)
    },
  }
}

/** A format of no bytes: the record `{}`. */
export const nothing: Struct<object> = struct({})

/**
 * One of several structs, distinguished by a u32 type id before them; the record carries it as
 * `typeId`. An unknown id is `bad-bytes` with the id and offset, never a skip.
 */
export function union<V extends Variants>(variants: V): Format<VariantOf<V>> {
  const byId: (Struct<unknown> | undefined)[] = []
  const readers: ((cursor: Cursor) => Record<string, unknown>)[] = []
  for (const [id, variant] of Object.entries(variants)) {
    byId[Number(id)] = variant
    readers[Number(id)] = readerOf(variant.fields, Number(id))
  }
  return {
    read: (cursor) => {
      const from = take(cursor, 4)
      const typeId = cursor.view.getUint32(from)
      const read = readers[typeId]
      if (read === undefined) throw unknownType(cursor, typeId, from)
      // The fields are those of the variant chosen by `typeId`.
      return read(cursor) as VariantOf<V>
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
 * The bytes of a `format`, checked but not decoded: for parts that are not read. They are a view on
 * the input.
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
