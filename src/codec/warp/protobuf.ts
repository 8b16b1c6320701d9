/**
 * Protocol buffers, as far as the peer protocol and the justification need them: a message is a declaration
 * of its fields. Zero values are left out, as canonical encoders do; unknown fields are passed over.
 *
 * Source: protobuf.dev/programming-guides/encoding.
 */

import { Fault } from '../../core/fault.ts'

const wireVarint = 0
const wireFixed64 = 1
const wireBytes = 2
const wireFixed32 = 5

/** Reads the fields of one message, in the order they come. */
export class ProtobufReader {
  readonly #bytes: Uint8Array
  #at = 0
  #wire = wireVarint

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Number of the next field, or 0 at the end. Read or `skip` it before the next call. */
  next(): number {
    if (this.#at >= this.#bytes.length) return 0
    const key = this.#varint()
    this.#wire = Number(key & 7n)
    const field = key >> 3n
    if (field === 0n || field > 536_870_911n) throw this.#bad('field number out of range')
    return Number(field)
  }

  /** An unsigned number of at most 32 bits. */
  u32(): number {
    const value = this.u64()
    if (value > 0xffff_ffffn) throw this.#bad('number is longer than 32 bits')
    return Number(value)
  }

  /** An unsigned number of at most 64 bits. */
  u64(): bigint {
    this.#expect(wireVarint)
    return this.#varint()
  }

  /** Bytes or text: a view on the input, not a copy. */
  bytes(): Uint8Array {
    this.#expect(wireBytes)
    return this.#take(this.#length())
  }

  /** Passes over a field this reader's user does not know. */
  skip(): void {
    if (this.#wire === wireVarint) this.#varint()
    else if (this.#wire === wireFixed64) this.#take(8)
    else if (this.#wire === wireBytes) this.#take(this.#length())
    else if (this.#wire === wireFixed32) this.#take(4)
    else throw this.#bad('unknown wire type')
  }

  #expect(wire: number): void {
    if (this.#wire !== wire) throw this.#bad('field has another type')
  }

  #length(): number {
    const length = this.#varint()
    if (length > BigInt(this.#bytes.length - this.#at)) throw this.#bad('field ends after the end')
    return Number(length)
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw this.#bad('field ends after the end')
    const from = this.#at
    this.#at += length
    return this.#bytes.subarray(from, this.#at)
  }

  #varint(): bigint {
    // Below 2^28 a number is enough, and nearly every varint of the protocol is.
    let small = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      small |= (byte & 127) << shift
      if (byte < 128) return BigInt(small)
    }
    let value = BigInt(small)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      value |= BigInt(byte & 127) << shift
      if (byte >= 128) continue
      if (value >= 1n << 64n) break
      return value
    }
    throw this.#bad('number is longer than 64 bits')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw this.#bad('number ends after the end')
    this.#at++
    return byte
  }

  #bad(what: string): Fault {
    return new Fault('bad-bytes', `protobuf: ${what}`, { detail: { offset: this.#at } })
  }
}

/** Writes the fields of one message. */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = []
  #size = 0

  /** An unsigned number; zero is left out. */
  number(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this
    return this.#key(field, wireVarint).#push(varint(value))
  }

  /** Bytes, also where there are none: a message, or one of a repeated field. */
  bytes(field: number, value: Uint8Array): this {
    return this.#key(field, wireBytes).#push(varint(value.length)).#push(value)
  }

  /** The message, in fresh memory. */
  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#size)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }

  #key(field: number, wire: number): this {
    return this.#push(varint(field * 8 + wire))
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part)
    this.#size += part.length
    return this
  }
}

/** A field of a message. */
export type Field<T> = {
  /** Value of a message without it. */
  absent(): T
  /** Value once it was read where it was `before`: of repeated ones the last, of a list all. */
  read(reader: ProtobufReader, before: T): T
  write(writer: ProtobufWriter, field: number, value: T): void
}

/** How a record becomes bytes and back. `decode` throws `bad-bytes`. */
export type Message<T> = {
  // Methods, so that a message of some record is also a `Message<unknown>`.
  encode(value: T): Uint8Array
  decode(bytes: Uint8Array): T
}

/** The records of a message. */
export type RecordOf<M> = M extends Message<infer T> ? T : never

type Fields = Readonly<Record<string, readonly [number, Field<unknown>]>>
type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K][1] extends Field<infer T> ? T : never
}

/** A message of numbered fields, in the order in which they are written: ascending. */
export function message<const F extends Fields>(fields: F): Message<Values<F>> {
  const all = Object.entries(fields).map(([name, [number, field]]) => ({ name, number, field }))
  const byNumber = new Map(all.map((each) => [each.number, each]))
  return {
    encode: (value) => {
      const writer = new ProtobufWriter()
      const values: Readonly<Record<string, unknown>> = value
      for (const { name, number, field } of all) field.write(writer, number, values[name])
      return writer.finish()
    },
    decode: (bytes) => {
      const values = Object.fromEntries(all.map(({ name, field }) => [name, field.absent()]))
      const reader = new ProtobufReader(bytes)
      for (let number = reader.next(); number !== 0; number = reader.next()) {
        const known = byNumber.get(number)
        if (known === undefined) reader.skip()
        else values[known.name] = known.field.read(reader, values[known.name])
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each field
      return values as Values<F>
    },
  }
}

/** An unsigned number of 32 bits. */
export const u32: Field<number> = {
  absent: () => 0,
  read: (reader) => reader.u32(),
  write: (writer, field, value) => writer.number(field, value),
}

/** An unsigned number of 64 bits. */
export const u64: Field<bigint> = {
  absent: () => 0n,
  read: (reader) => reader.u64(),
  write: (writer, field, value) => writer.number(field, value),
}

/** A signed number of 32 bits, zigzag. */
export const s32: Field<number> = {
  absent: () => 0,
  read: (reader) => {
    // The signed number of 32 bits a zigzag number stands for.
    const low = Number(reader.u64() & 0xffff_ffffn)
    return (low >>> 1) ^ -(low & 1)
  },
  write: (writer, field, value) => writer.number(field, ((value << 1) ^ (value >> 31)) >>> 0),
}

/** A truth value. */
export const flag: Field<boolean> = {
  absent: () => false,
  read: (reader) => reader.u64() !== 0n,
  write: (writer, field, value) => writer.number(field, value ? 1 : 0),
}

/** Bytes, a view on the input. */
export const bytes: Field<Uint8Array> = {
  absent: () => new Uint8Array(),
  read: (reader) => reader.bytes(),
  write: (writer, field, value) => value.length > 0 && writer.bytes(field, value),
}

/** Bytes that outlive the input. */
export const ownBytes: Field<Uint8Array> = {
  ...bytes,
  read: (reader) => Uint8Array.from(reader.bytes()),
}

/** Text; bytes that are not UTF-8 become replacement characters. */
export const text: Field<string> = {
  absent: () => '',
  read: (reader) => new TextDecoder().decode(reader.bytes()),
  write: (writer, field, value) => bytes.write(writer, field, new TextEncoder().encode(value)),
}

const plain: Message<Uint8Array> = { encode: (value) => value, decode: (value) => value }

/** A message in a message, written even where it is empty. */
export function nested<T>(inner: Message<T>): Field<T> {
  return {
    absent: () => inner.decode(new Uint8Array()),
    read: (reader) => inner.decode(reader.bytes()),
    write: (writer, field, value) => writer.bytes(field, inner.encode(value)),
  }
}

/** A repeated field of at most `max` byte strings, views on the input. */
export function listOfBytes(max: number): Field<readonly Uint8Array[]> {
  return listOf(plain, max)
}

/** A repeated field of at most `max` messages. */
export function listOf<T>(inner: Message<T>, max: number): Field<readonly T[]> {
  const list: Field<T[]> = {
    absent: () => [],
    read: (reader, before) => {
      if (before.length >= max) throw new Fault('bad-bytes', `protobuf: more than ${max} in a list`)
      before.push(inner.decode(reader.bytes()))
      return before
    },
    write: (writer, field, values) => {
      for (const value of values) writer.bytes(field, inner.encode(value))
    },
  }
  return list
}

/** `value` in groups of seven bits, lowest first. */
function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = value
  // Only deadlines and times need 64 bits.
  while (typeof rest === 'bigint' && rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  let low = Number(rest)
  while (low > 127) {
    bytes.push((low % 128) | 128)
    low = Math.floor(low / 128)
  }
  bytes.push(low)
  return Uint8Array.from(bytes)
}
