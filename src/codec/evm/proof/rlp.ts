/** RLP, the encoding of everything EVM chains hash, and the addresses hashed of it. */

import { keccak256 } from '../../../core/hash.ts'
import { u8At } from '../../../core/item-at.ts'
import { writeHex } from '../hex.ts'

/**
 * A byte string, or a list of items. Text is a byte string in hex: `0x` and an even number of
 * digits, which are read where they are written, without an array for each.
 */
export type Rlp = Uint8Array | string | readonly Rlp[]

/** Encodes an item. Throws `node-answer` for text that is not hex. */
export function encodeRlp(item: Rlp): Uint8Array {
  const out = new Uint8Array(sizeOf(item))
  write(item, Buffer.from(out.buffer), 0)
  return out
}

function contentSize(item: Rlp): number {
  if (typeof item === 'string') return (item.length - 2) >>> 1
  if (item instanceof Uint8Array) return item.length
  let size = 0
  for (const part of item) size += sizeOf(part)
  return size
}

function sizeOf(item: Rlp): number {
  if (isSmallByte(item)) return 1
  const content = contentSize(item)
  return headSize(content) + content
}

/** A byte below 0x80, which is its own encoding. */
function isSmallByte(item: Rlp): boolean {
  if (typeof item === 'string') return item.length === 4 && item.charCodeAt(2) < sevenDigit
  return item instanceof Uint8Array && item.length === 1 && u8At(item, 0) < 0x80
}

/** Character code above those of the digits 0 to 7. */
const sevenDigit = 0x38

function write(item: Rlp, out: Buffer, from: number): number {
  const content = contentSize(item)
  if (typeof item === 'string' || item instanceof Uint8Array) {
    const at = isSmallByte(item) ? from : writeHead(out, from, { size: content, base: 0x80 })
    if (typeof item === 'string') writeHex(item, { from: 2, until: item.length }, out, at)
    else out.set(item, at)
    return at + content
  }
  let at = writeHead(out, from, { size: content, base: 0xc0 })
  for (const part of item) at = write(part, out, at)
  return at
}

/** Bytes of the head of a string or list of `size` bytes. */
export function headSize(size: number): number {
  return size < 56 ? 1 : 1 + lengthBytes(size)
}

/** Writes the head of a byte string (base 0x80) or list (0xc0) at `from`; returns where it ends. */
export function writeHead(
  bytes: Uint8Array,
  from: number,
  of: { readonly size: number; readonly base: number },
): number {
  const { size, base } = of
  if (size < 56) {
    bytes[from] = base + size
    return from + 1
  }
  const length = lengthBytes(size)
  bytes[from] = base + 55 + length
  for (let at = 0; at < length; at++) bytes[from + 1 + at] = size >>> (8 * (length - 1 - at))
  return from + 1 + length
}

function lengthBytes(size: number): number {
  return size < 0x100 ? 1 : size < 0x1_0000 ? 2 : size < 0x100_0000 ? 3 : 4
}

/**
 * Returns the 20 bytes of the new contract; `nonce` without zero bytes before it.
 * Source: Ethereum yellow paper, section 7.
 */
export function createdAddress(sender: Rlp, nonce: Rlp): Uint8Array {
  return keccak256(encodeRlp([sender, nonce])).subarray(12)
}
