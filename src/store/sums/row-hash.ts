/**
 * A 52-bit hash of a row, by its values in the order of its table's columns.
 *
 * Two lanes of 32 bits, each a chain of steps that can be undone, so that a row of which one bit
 * differs always has another hash. It guards against accidents of disks, not against somebody who
 * looks for rows of one hash.
 *
 * Rows come as columns where they are written, a column at a time and typed arrays in loops of
 * their own, which takes 5 ns a value; and as values where they are read back. Both give the same.
 */

import { f64At, u32At, u8At } from '../../core/item-at.ts'
import { ByteColumn } from '../engine/byte-column.ts'
import { type Column, type Value, valueAt } from '../engine/database.ts'

// Odd numbers of which half the bits are set, of MurmurHash3 and of the golden ratio.
const firstFactor = 0x9e37_79b1
const secondFactor = 0x85eb_ca6b
const thirdFactor = 0xc2b2_ae35

/** Value for NULL; a number or bytes of this value give another hash by their second step. */
const nullWord = 0x6e75_6c6c

/** Before values of a kind that its column should not have: a damaged row. */
const realWord = 0x7265_616c

const wordRange = 2 ** 32
/** Values of the upper lane that count in a sum. */
export const upperRange = 2 ** 20
const upperMask = upperRange - 1

const encoder = new TextEncoder()

/** Hashes of rows under way: `lower[i]` and `upper[i]` are the lanes of row `i`. */
export type RowLanes = { readonly lower: Uint32Array; readonly upper: Uint32Array }

/** Lanes of `count` rows without a value yet. */
export function newLanes(count: number): RowLanes {
  return { lower: new Uint32Array(count), upper: new Uint32Array(count) }
}

/** Takes the next column of all rows; a column that is not given is NULL. */
export function mixColumn(lanes: RowLanes, column: Column | undefined): void {
  if (column instanceof ByteColumn) mixPacked(lanes, column)
  else if (column instanceof Float64Array) mixDoubles(lanes, column)
  else if (column instanceof Uint32Array) mixWords(lanes, column)
  else if (column instanceof Uint8Array) mixWords(lanes, new Uint32Array(column))
  else
    for (let row = 0; row < lanes.lower.length; row++)
      mixValue(lanes, row, column === undefined ? null : (column[row] ?? null))
}

/** Takes the next column of the rows that have a value in it: those without stay as they are. */
export function mixPresent(lanes: RowLanes, column: Column | undefined): void {
  if (column === undefined) return
  for (let row = 0; row < lanes.lower.length; row++) {
    const value = valueAt(column, row)
    if (value !== null) mixValue(lanes, row, value)
  }
}

/** Takes the next value of one row. */
export function mixValue(lanes: RowLanes, row: number, value: Value): void {
  if (value === null) mixWord(lanes, row, nullWord)
  else if (typeof value === 'number') mixNumber(lanes, row, value)
  else if (typeof value === 'bigint') {
    mixWord(lanes, row, Number(BigInt.asUintN(32, value)))
    mixWord(lanes, row, Number(BigInt.asUintN(32, value >> 32n)))
  } else if (typeof value === 'string') {
    const bytes = encoder.encode(value)
    mixBytes(lanes, row, bytes, 0, bytes.length)
  } else mixBytes(lanes, row, value, 0, value.length)
}

/** Ends the hash of every row: each bit of it depends on every bit before. */
export function finishLanes({ lower, upper }: RowLanes): void {
  for (let row = 0; row < lower.length; row++) {
    let hash = u32At(lower, row)
    hash = Math.imul(hash ^ (hash >>> 16), thirdFactor)
    lower[row] = hash ^ (hash >>> 15)
    hash = u32At(upper, row)
    hash = Math.imul(hash ^ (hash >>> 16), thirdFactor)
    upper[row] = (hash ^ (hash >>> 15)) & upperMask
  }
}

/** The sums of both lanes as one integer below 2^52. */
export function sumOf(lower: number, upper: number): number {
  return upper * wordRange + lower
}

/** Both lanes of such an integer. */
export function lanesOf(sum: number): { readonly lower: number; readonly upper: number } {
  return { lower: sum % wordRange, upper: Math.floor(sum / wordRange) }
}

function mixWord({ lower, upper }: RowLanes, row: number, word: number): void {
  const low = Math.imul(u32At(lower, row) ^ word, firstFactor)
  const high = Math.imul(u32At(upper, row) ^ word, secondFactor)
  lower[row] = (low << 13) | (low >>> 19)
  upper[row] = (high << 17) | (high >>> 15)
}

function mixNumber(lanes: RowLanes, row: number, value: number): void {
  if (Number.isInteger(value)) {
    mixWord(lanes, row, value | 0)
    mixWord(lanes, row, Math.floor(value / wordRange) | 0)
    return
  }
  // Seldom: only what its column should not have.
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  mixWord(lanes, row, realWord)
  mixWord(lanes, row, view.getInt32(0))
  mixWord(lanes, row, view.getInt32(4))
}

// oxlint-disable-next-line max-params -- called for every byte string: an object would be garbage
function mixBytes(
  lanes: RowLanes,
  row: number,
  bytes: Uint8Array,
  from: number,
  until: number,
): void {
  // The length first: what follows is then distinct from other values.
  const length = until - from
  let a = Math.imul(u32At(lanes.lower, row) ^ length, firstFactor)
  let b = Math.imul(u32At(lanes.upper, row) ^ length, secondFactor)
  const whole = until - 3
  let at = from
  for (; at < whole; at += 4) {
    const word =
      u8At(bytes, at) |
      (u8At(bytes, at + 1) << 8) |
      (u8At(bytes, at + 2) << 16) |
      (u8At(bytes, at + 3) << 24)
    a = Math.imul(((a << 13) | (a >>> 19)) ^ word, firstFactor)
    b = Math.imul(((b << 17) | (b >>> 15)) ^ word, secondFactor)
  }
  let rest = 0
  for (let shift = 0; at < until; at++, shift += 8) rest |= u8At(bytes, at) << shift
  a = Math.imul(((a << 13) | (a >>> 19)) ^ rest, firstFactor)
  b = Math.imul(((b << 17) | (b >>> 15)) ^ rest, secondFactor)
  lanes.lower[row] = (a << 13) | (a >>> 19)
  lanes.upper[row] = (b << 17) | (b >>> 15)
}

/** As {@link mixBytes} for a whole column, whose memory is read four bytes at a time. */
function mixPacked(lanes: RowLanes, column: ByteColumn): void {
  const { arena, offsets, lengths, present } = column
  const { lower, upper } = lanes
  const words = new DataView(arena.buffer, arena.byteOffset, arena.byteLength)
  for (let row = 0; row < column.length; row++) {
    if (present !== undefined && present[row] !== 1) {
      mixWord(lanes, row, nullWord)
      continue
    }
    let at = u32At(offsets, row)
    const length = u32At(lengths, row)
    const until = at + length
    let a = Math.imul(u32At(lower, row) ^ length, firstFactor)
    let b = Math.imul(u32At(upper, row) ^ length, secondFactor)
    for (const whole = until - 3; at < whole; at += 4) {
      const word = words.getInt32(at, true)
      a = Math.imul(((a << 13) | (a >>> 19)) ^ word, firstFactor)
      b = Math.imul(((b << 17) | (b >>> 15)) ^ word, secondFactor)
    }
    let rest = 0
    for (let shift = 0; at < until; at++, shift += 8) rest |= u8At(arena, at) << shift
    a = Math.imul(((a << 13) | (a >>> 19)) ^ rest, firstFactor)
    b = Math.imul(((b << 17) | (b >>> 15)) ^ rest, secondFactor)
    lower[row] = (a << 13) | (a >>> 19)
    upper[row] = (b << 17) | (b >>> 15)
  }
}

function mixDoubles({ lower, upper }: RowLanes, column: Float64Array): void {
  for (let row = 0; row < column.length; row++) {
    const value = f64At(column, row)
    const high = Math.floor(value / wordRange) | 0
    let a = Math.imul(u32At(lower, row) ^ value, firstFactor)
    let b = Math.imul(u32At(upper, row) ^ value, secondFactor)
    a = Math.imul(((a << 13) | (a >>> 19)) ^ high, firstFactor)
    b = Math.imul(((b << 17) | (b >>> 15)) ^ high, secondFactor)
    lower[row] = (a << 13) | (a >>> 19)
    upper[row] = (b << 17) | (b >>> 15)
  }
}

function mixWords({ lower, upper }: RowLanes, column: Uint32Array): void {
  for (let row = 0; row < column.length; row++) {
    const value = u32At(column, row)
    let a = Math.imul(u32At(lower, row) ^ value, firstFactor)
    let b = Math.imul(u32At(upper, row) ^ value, secondFactor)
    a = Math.imul((a << 13) | (a >>> 19), firstFactor)
    b = Math.imul((b << 17) | (b >>> 15), secondFactor)
    lower[row] = (a << 13) | (a >>> 19)
    upper[row] = (b << 17) | (b >>> 15)
  }
}
