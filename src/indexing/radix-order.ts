/**
 * Order of rows by an integer key, in a few passes over flat memory: far less than comparing
 * takes for the tens of thousands of rows of a batch.
 */

const digitBits = 11
const digits = 2 ** digitBits

/** Places of `keys` (integers from 0 to 2^53 - 1) ascending; equal ones in their order. */
export function radixOrder(keys: Float64Array): Uint32Array {
  let order = Uint32Array.from(keys.keys())
  let spare = new Uint32Array(keys.length)
  const most = highest(keys)
  for (let scale = 1; scale <= most; scale *= digits) {
    const next = firstPlaces(keys, scale)
    for (let at = 0; at < order.length; at++) {
      const row = order[at] ?? 0
      const digit = digitOf(keys, row, scale)
      const place = next[digit] ?? 0
      spare[place] = row
      next[digit] = place + 1
    }
    ;[order, spare] = [spare, order]
  }
  return order
}

/** `values[at[i]]` for every `i`. */
export function gather(values: ArrayLike<number>, at: Uint32Array): Float64Array {
  const gathered = new Float64Array(at.length)
  for (let row = 0; row < at.length; row++) gathered[row] = values[at[row] ?? 0] ?? 0
  return gathered
}

/** As {@link gather}, for places and block rows. */
export function gatherWords(values: Uint32Array, at: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(at.length)
  for (let row = 0; row < at.length; row++) gathered[row] = values[at[row] ?? 0] ?? 0
  return gathered
}

/** Where the rows of each digit start. */
function firstPlaces(keys: Float64Array, scale: number): Uint32Array {
  const counts = new Uint32Array(digits)
  for (let row = 0; row < keys.length; row++) {
    const digit = digitOf(keys, row, scale)
    counts[digit] = (counts[digit] ?? 0) + 1
  }
  let before = 0
  for (let digit = 0; digit < digits; digit++) {
    const count = counts[digit] ?? 0
    counts[digit] = before
    before += count
  }
  return counts
}

// Bit operations take the whole part of a double and of that the low 32 bits.
function digitOf(keys: Float64Array, row: number, scale: number): number {
  return ((keys[row] ?? 0) / scale) & (digits - 1)
}

function highest(keys: Float64Array): number {
  let most = 0
  for (let row = 0; row < keys.length; row++) most = Math.max(most, keys[row] ?? 0)
  return most
}
