/**
 * Lists of addresses: which rows of a batch each address has, in order of address and row.
 *
 * Sorted entries make neighbours in the store neighbours in time of writing: each page of an
 * index is met once per batch.
 */

import { assert } from '../../core/fault.ts'

/** Rows of one table in one batch. Entries are `id × 2^20 + row`, exact for ids below 2^33. */
export const maxBatchRows = 2 ** 20

/** Entries to sort. */
export class FanOut {
  #entries: Float64Array
  #count = 0

  constructor(capacity: number) {
    this.#entries = new Float64Array(Math.max(capacity, 8))
  }

  /** Says that address `id` has `row`. Called once per pair, rows in any order. */
  add(id: number, row: number): void {
    if (this.#count === this.#entries.length) {
      const grown = new Float64Array(this.#count * 2)
      grown.set(this.#entries)
      this.#entries = grown
    }
    this.#entries[this.#count++] = id * maxBatchRows + row
  }

  /** Addresses and their rows, ascending. */
  sorted(): { readonly ids: Float64Array; readonly rows: Uint32Array } {
    const entries = this.#entries.subarray(0, this.#count).toSorted()
    const ids = new Float64Array(entries.length)
    const rows = new Uint32Array(entries.length)
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] ?? 0
      const id = Math.floor(entry / maxBatchRows)
      ids[at] = id
      rows[at] = entry - id * maxBatchRows
    }
    return { ids, rows }
  }
}

/** Order of `keys` ascending, as rows; ties in order of rows. Keys are below 2^53 integers. */
export function sortedRows(keys: Float64Array): Uint32Array {
  assert(keys.length <= maxBatchRows, 'batches are cut below the limit of rows')
  const order = Uint32Array.from(keys.keys())
  return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b)
}
