/** RLP, the encoding of everything EVM chains hash. Source: Ethereum yellow paper, appendix B. */

import { u8At } from '../../core/item-at.ts'
import { writeHex } from './hex.ts'
import { headSize, writeHead } from './rlp-head.ts'

/**
 * A byte string, or a list of items. Text is a byte string in hex: `0x` and an even number of
 * digits, which are read where they are written, without an array for each.
 */
export type Rlp = Uint8Array | string | readonly Rlp[]

/** Encodes an item. Throws `node-answer` for text that is not hex. */
export function encodeRlp(item: Rlp): Uint8Array {
  const out = new Uint8Array(sizeOf(item))
  write(item, out, 0)
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

function write(item: Rlp, out: Uint8Array, from: number): number {
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
