/**
 * RLP of what JSON-RPC says, written where it is hashed: no array, string or object for an item.
 *
 * Lists whose size is not known before their items are get their head afterwards, in front of them:
 * whoever begins one leaves room. Source: Ethereum yellow paper, appendix B.
 */

import { keccak256Digits, writeKeccak256 } from '../../../core/hash.ts'
import { once } from '../../../core/waiting.ts'
import { hexDigit, notHex, writeHex } from '../hex.ts'
import { headSize, writeHead } from './rlp.ts'

/** Room for the longest head in front of a list: its length in four bytes. */
export const headRoom = 8

/** Memory of more than this is given back after the block that took it. */
const mostKeptBytes = 16 * 1024 * 1024

/** Writes items one after the other. */
export class RlpWriter {
  /** All of the memory. Another array after more was written than it holds. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(65_536)
  /** The same memory, as the runtime writes hex and hashes to. */
  #buffer = Buffer.from(this.bytes.buffer)
  /** Where the next item goes. */
  at = 0

  /** Forgets everything. */
  clear(): void {
    this.at = 0
    if (this.bytes.length > mostKeptBytes) this.#take(new Uint8Array(65_536))
  }

  /** Makes the memory at least `size` bytes. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(size, this.bytes.length * 2))
    grown.set(this.bytes)
    this.#take(grown)
  }

  /** A place `size` bytes long. */
  skip(size: number): number {
    const from = this.at
    this.reserve(from + size)
    this.at += size
    return from
  }

  byte(value: number): void {
    this.reserve(this.at + 1)
    this.bytes[this.at++] = value
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.reserve(this.at + bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Writes the Keccak-256 hash of what lies in `[from, at)` to `to`. */
  hash(from: number, to: number): void {
    writeKeccak256(this.bytes.subarray(from, this.at), this.#buffer, to)
  }

  /** The same hash as digits. */
  hashDigits(from: number): string {
    return keccak256Digits(this.bytes.subarray(from, this.at))
  }

  /** A quantity as a byte string without leading zeros; false where `value` is no quantity. */
  quantity(value: unknown): boolean {
    if (!isHexText(value)) return false
    let from = 2
    while (from < value.length && value.charCodeAt(from) === 48) from++
    this.#string(value, from)
    return true
  }

  /** A byte string; false where `value` is no hex text. */
  string(value: unknown): boolean {
    if (!isHexText(value) || value.length % 2 !== 0) return false
    this.#string(value, 2)
    return true
  }

  /** The head of a byte string (0x80) or list (0xc0) of `size` bytes. */
  head(size: number, base: number): void {
    this.reserve(this.at + headRoom)
    this.at = writeHead(this.bytes, this.at, { size, base })
  }

  /** Puts the head of what lies in `[from, at)` in front of it. Returns where it begins. */
  headBefore(from: number, base: number): number {
    const size = this.at - from
    const start = from - headSize(size)
    writeHead(this.bytes, start, { size, base })
    return start
  }

  #take(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer)
  }

  #string(text: string, from: number): void {
    const size = (text.length - from + 1) >>> 1
    this.reserve(this.at + headRoom + size)
    if (size === 1) {
      const value = Number(`0x${text.slice(from)}`)
      if (Number.isNaN(value)) throw notHex(text, 'bytes')
      if (value >= 0x80) this.bytes[this.at++] = 0x81
      this.bytes[this.at++] = value
      return
    }
    this.at = writeHead(this.bytes, this.at, { size, base: 0x80 })
    let next = from
    if ((text.length - from) % 2 === 1) {
      const digit = hexDigit(text, next++)
      if (digit === 255) throw notHex(text, 'bytes')
      this.bytes[this.at++] = digit
    }
    writeHex(text, { from: next, until: text.length }, this.#buffer, this.at)
    this.at += (text.length - next) >>> 1
  }
}

/** This thread's writer, empty: for one root at a time. Nothing in it outlives a block. */
export function threadWriter(): RlpWriter {
  const writer = kept()
  writer.clear()
  return writer
}

/** All chains of a thread share it, since each would grow one to its largest block. */
const kept = once(() => new RlpWriter())

/**
 * Bytes that a byte string of hex takes with its head; 0 for anything but text. Whether it is hex shows
 * when it is written.
 */
export function stringSize(value: unknown): number {
  if (typeof value !== 'string') return 0
  const size = (value.length - 2) >>> 1
  // A byte below 0x80 is its own encoding.
  if (size === 1 && value.charCodeAt(2) < 0x38) return 1
  return headSize(size) + size
}

function isHexText(value: unknown): value is string {
  return typeof value === 'string' && value.charCodeAt(0) === 48 && value.charCodeAt(1) === 120
}
