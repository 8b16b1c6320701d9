/**
 * Order of rows by an integer key, in a few passes over flat memory: far less than comparing
 * takes for the tens of thousands of rows of a batch.
 */

import { assert } from '../../core/fault.ts'
import { f64At, u32At, countsToPlaces } from '../../core/item-at.ts'

const digitBits = 11
const digits = 2 ** digitBits
const wordSize = 2 ** 32

/** Places of `keys` (integers from 0 to 2^53 - 1) ascending; equal ones in their order. */
export function radixOrder(keys: Float64Array): Uint32Array<ArrayBuffer> {
  // Of no rows at all, every order is one.
  let lowest = keys[0] ?? 0
  let highest = lowest
  let isAscending = true
  let last = lowest
  for (let row = 1; row < keys.length; row++) {
    const key = f64At(keys, row)
    if (key < last) isAscending = false
    if (key < lowest) lowest = key
    if (key > highest) highest = key
    last = key
  }
  let order = new Uint32Array(keys.length)
  for (let row = 0; row < order.length; row++) order[row] = row
  if (isAscending) return order
  // Keys of a chain are alike in their high parts: a common part needs no pass.
  const span = highest - lowest
  const low = new Uint32Array(keys.length)
  for (let row = 0; row < low.length; row++) low[row] = f64At(keys, row) - lowest
  order = orderByWord(low, Math.min(span, wordSize - 1), order)
  if (span < wordSize) return order
  const high = new Uint32Array(keys.length)
  for (let row = 0; row < high.length; row++) high[row] = (f64At(keys, row) - lowest) / wordSize
  return orderByWord(high, span / wordSize, order)
}

/** `values[at[i]]` for every `i`. */
export function gather(values: ArrayLike<number>, at: Uint32Array): Float64Array {
  const gathered = new Float64Array(at.length)
  for (let row = 0; row < at.length; row++) {
    const value = values[u32At(at, row)]
    assert(value !== undefined, 'an order names rows of its columns')
    gathered[row] = value
  }
  return gathered
}

/** As {@link gather}, for places and block rows. */
export function gatherWords(values: Uint32Array, at: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(at.length)
  for (let row = 0; row < at.length; row++) gathered[row] = u32At(values, u32At(at, row))
  return gathered
}

/** Rows in `order` ascending by the words at them, of which `most` is the largest. */
function orderByWord(
  words: Uint32Array,
  most: number,
  order: Uint32Array<ArrayBuffer>,
): Uint32Array<ArrayBuffer> {
  let from = order
  let to = new Uint32Array(order.length)
  for (let shift = 0; shift < 32 && most >>> shift > 0; shift += digitBits) {
    // Where the rows of each digit start.
    const next = new Uint32Array(digits)
    for (let row = 0; row < words.length; row++) {
      const digit = (u32At(words, row) >>> shift) & (digits - 1)
      next[digit] = u32At(next, digit) + 1
    }
    countsToPlaces(next)
    for (let at = 0; at < from.length; at++) {
      const row = u32At(from, at)
      const digit = (u32At(words, row) >>> shift) & (digits - 1)
      const place = u32At(next, digit)
      to[place] = row
      next[digit] = place + 1
    }
    ;[from, to] = [to, from]
  }
  return from
}
