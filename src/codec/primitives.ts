/**
 * Formats of single values: integers, bytes and text. Everything is big-endian with u32 counts, as
 * in avalanchego codec/linearcodec.
 */

import { Fault } from '../core/fault.ts'
import { badBytes, type Cursor, type Format, room, take, type Writer } from './cursor.ts'

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

/** IEEE 754 double: an integer up to 2^53 in eight bytes. */
export const f64: Format<number> = {
  read: (cursor) => cursor.view.getFloat64(take(cursor, 8)),
  write: (writer, value) => {
    const at = room(writer, 8)
    writer.view.setFloat64(at, value)
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
 * Exactly `size` bytes that nearly always repeat, such as an asset's id: equal ones share one
 * array, which must not be changed. `size` is a multiple of 4.
 */
export function recurring(size: number): Format<Uint8Array> {
  const plain = fixed(size)
  let last: Uint8Array = new Uint8Array(size)
  let lastView = viewOf(last)
  return {
    ...plain,
    read: (cursor) => {
      const from = take(cursor, size)
      const { view } = cursor
      // By words: a transaction has five of these.
      for (let at = 0; at < size; at += 4) {
        if (view.getInt32(from + at) !== lastView.getInt32(at)) {
          last = cursor.bytes.slice(from, from + size)
          lastView = viewOf(last)
          break
        }
      }
      return last
    },
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
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
      const encoded = cursor.bytes.subarray(start, start + size)
      let ascii = true
      for (let at = 0; at < encoded.length && ascii; at++) ascii = (encoded[at] ?? 0) < 0x80
      if (ascii && encoded.length < 64) return String.fromCharCode(...encoded)
      try {
        return strictUtf8.decode(encoded)
      } catch (error) {
        if (error instanceof TypeError) return looseUtf8.decode(encoded)
        throw error
      }
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

/** A u32 count, at most `max`. Throws `bad-bytes`. */
export function readCount(cursor: Cursor, max: number): number {
  const from = take(cursor, 4)
  const count = cursor.view.getUint32(from)
  if (count > max) throw badBytes(cursor, `more than ${max} items: ${count}`, from)
  return count
}

/** Writes a u32 count, at most `max`. Throws `bad-bytes`. */
export function writeCount(writer: Writer, count: number, max: number): void {
  if (count > max) throw new Fault('bad-bytes', `more than ${max} items: ${count}`)
  u32.write(writer, count)
}
