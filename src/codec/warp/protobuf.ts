/**
 * Protocol buffers, as far as the peer protocol and the justification need them.
 *
 * Ten messages do not pay for a code generator: a message is read field by field
 * and written in ascending order of its fields, zero values left out, as canonical encoders do.
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

/** Writes the fields of one message. Zero, `false` and empty bytes are left out. */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = []
  #size = 0

  /** An unsigned number: u32, u64 or an enumeration. */
  number(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this
    return this.#key(field, wireVarint).#push(varint(value))
  }

  /** A signed number of 32 bits, zigzag. */
  s32(field: number, value: number): this {
    return this.number(field, ((value << 1) ^ (value >> 31)) >>> 0)
  }

  /** A truth value. */
  flag(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0)
  }

  /** Bytes or text; left out when empty. */
  bytes(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.message(field, value)
  }

  /** Bytes written even when empty: a message that is present, or one of a repeated field. */
  message(field: number, value: Uint8Array): this {
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

/** The signed number of 32 bits a zigzag number stands for. */
export function fromZigzag(value: bigint): number {
  const low = Number(value & 0xffff_ffffn)
  return (low >>> 1) ^ -(low & 1)
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
