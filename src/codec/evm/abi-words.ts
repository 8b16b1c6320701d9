/**
 * The words of 32 bytes that arguments of calls and their answers are made of.
 * Source: Solidity documentation, Contract ABI Specification.
 */

import { hexWord } from './hex.ts'

/** Bytes of a word. */
export const wordBytes = 32

/** A value, hex digits without prefix, as the hex of a word. */
export function wordOf(hex: string): string {
  return hex.padStart(2 * wordBytes, '0')
}

/** Selector of `balanceOf(address)`, `0x` hex. Source: ERC-20. */
export const balanceOfSelector = '0x70a08231'

/** Data of a call of `balanceOf(address)`, `0x` hex; `holder` is forty digits. */
export function balanceOfData(holder: string): string {
  return `${balanceOfSelector}${wordOf(holder)}`
}

/** The word at `at` as a number; `undefined` beyond the bytes, or for 2^32 and more. */
export function smallWord(bytes: Uint8Array, at: number): number | undefined {
  if (at + wordBytes > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, wordBytes)
  for (let high = 0; high < wordBytes - 4; high += 4)
    if (view.getUint32(high) !== 0) return undefined
  return view.getUint32(wordBytes - 4)
}

/** The same of a word as the 64 digits of `text` from `at`. Throws `node-answer` where one is none. */
export function smallWordOf(text: string, at: number): number | undefined {
  if (at + 2 * wordBytes > text.length) return undefined
  const low = at + 2 * (wordBytes - 4)
  for (let high = at; high < low; high += 8) if (hexWord(text, high) !== 0) return undefined
  return hexWord(text, low)
}

/**
 * Content of an answer that is one `string`. An answer that was `cut` gives as much as is there;
 * `undefined` where offset or length point outside.
 */
export function stringIn(bytes: Uint8Array, cut = false): Uint8Array | undefined {
  const offset = smallWord(bytes, 0)
  const length = offset === undefined ? undefined : smallWord(bytes, offset)
  if (offset === undefined || length === undefined) return undefined
  const start = offset + wordBytes
  return cut || start + length <= bytes.length ? bytes.subarray(start, start + length) : undefined
}
