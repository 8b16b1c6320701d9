/**
 * Reading and writing bytes in order: the ground the formats stand on.
 *
 * A fault names the offset and, by the trail it gathers on its way up, the field.
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

/** Reader and writer of a value of `T` as bytes. */
export type Format<T> = {
  readonly read: (cursor: Cursor) => T
  // A method, so that a format of some record is also a `Format<unknown>`.
  write(writer: Writer, value: T): void
  /** Moves past a value without building it; `read` does where this is missing. */
  readonly skip?: (cursor: Cursor) => void
}

/** The value a format decodes to. */
export type Decoded<F> = F extends Format<infer T> ? T : never

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

/** Bytes that most values fit in; the room doubles where they do not. */
const firstRoom = 512

/** The bytes of `value`. Throws `bad-bytes` when a value does not fit its format. */
export function encode<T>(format: Format<T>, value: T): Uint8Array {
  const bytes = new Uint8Array(firstRoom)
  const writer: Writer = { bytes, view: new DataView(bytes.buffer), at: 0 }
  format.write(writer, value)
  return writer.bytes.slice(0, writer.at)
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
