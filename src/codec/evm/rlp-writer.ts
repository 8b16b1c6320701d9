/**
 * RLP of what JSON-RPC says, written where it is hashed: no array, string or object for an item.
 *
 * Lists whose size is not known before their items are get their head afterwards, in front of them:
 * whoever begins one leaves room. Source: Ethereum yellow paper, appendix B.
 */

import type { HashMemory } from './hash-memory.ts'
import { hexDigit, notHex } from './hex.ts'
import { firstFree } from './keccak-code.ts'
import { headSize, writeHead } from './rlp-head.ts'

/** Room for the longest head in front of a list: its length in four bytes. */
export const headRoom = 8

/** From this many digits on the memory's own reader wins over a loop. */
const nativeFrom = 48

/** Writes items one after the other. */
export class RlpWriter {
  readonly memory: HashMemory
  /** Where the next item goes. */
  at = firstFree

  constructor(memory: HashMemory) {
    this.memory = memory
  }

  /** Forgets everything; memory that one unusual block took is given back by the caller. */
  clear(): void {
    this.at = firstFree
  }

  /** A place `size` bytes long. */
  skip(size: number): number {
    const from = this.at
    this.memory.reserve(from + size)
    this.at += size
    return from
  }

  byte(value: number): void {
    this.memory.reserve(this.at + 1)
    this.memory.bytes[this.at++] = value
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.memory.reserve(this.at + bytes.length)
    this.memory.bytes.set(bytes, this.at)
    this.at += bytes.length
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
    this.memory.reserve(this.at + headRoom)
    this.at = writeHead(this.memory.bytes, this.at, { size, base })
  }

  /** Puts the head of what lies in `[from, at)` in front of it. Returns where it begins. */
  headBefore(from: number, base: number): number {
    const size = this.at - from
    const start = from - headSize(size)
    writeHead(this.memory.bytes, start, { size, base })
    return start
  }

  #string(text: string, from: number): void {
    const size = (text.length - from + 1) >>> 1
    // Text that is read by the memory itself lies there before its bytes do.
    this.memory.reserve(this.at + headRoom + text.length + 16)
    if (size === 1) {
      const value = Number(`0x${text.slice(from)}`)
      if (Number.isNaN(value)) throw notHex(text, 'bytes')
      if (value >= 0x80) this.memory.bytes[this.at++] = 0x81
      this.memory.bytes[this.at++] = value
      return
    }
    this.at = writeHead(this.memory.bytes, this.at, { size, base: 0x80 })
    this.#digits(text, from)
  }

  #digits(text: string, from: number): void {
    const { bytes } = this.memory
    let next = from
    let to = this.at
    if ((text.length - from) % 2 === 1) {
      const digit = hexDigit(text, next++)
      if (digit === 255) throw notHex(text, 'bytes')
      bytes[to++] = digit
    }
    if (text.length - next >= nativeFrom) {
      this.memory.text.write(text, to, text.length, 'latin1')
      if (!this.memory.unhex(to + next, to + text.length, to)) throw notHex(text, 'bytes')
      this.at = to + ((text.length - next) >>> 1)
      return
    }
    for (; next < text.length; next += 2) {
      const high = hexDigit(text, next)
      const low = hexDigit(text, next + 1)
      if ((high | low) === 255) throw notHex(text, 'bytes')
      bytes[to++] = (high << 4) | low
    }
    this.at = to
  }
}

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
