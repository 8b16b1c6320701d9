/**
 * Lists of addresses: which rows of a batch each address has, in order of address and row.
 *
 * Sorted entries make neighbours in the store neighbours in time of writing: each page of an
 * index is met once per batch.
 */

import { f64At, u32At } from '../../../core/item-at.ts'
import type { Column, Value } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/schema/table.ts'
import { radixOrder } from '../../stream/radix-order.ts'

/** Most rows of one table in one batch. */
export const maxBatchRows = 2 ** 20

/** Entries to sort. */
export class FanOut {
  #ids: Float64Array
  #rows: Uint32Array
  #count = 0

  constructor(capacity: number) {
    this.#ids = new Float64Array(Math.max(capacity, 8))
    this.#rows = new Uint32Array(this.#ids.length)
  }

  /** Says that address `id` has `row`. Called once per pair, rows ascending. */
  add(id: number, row: number): void {
    if (this.#count === this.#ids.length) {
      const ids = new Float64Array(this.#count * 2)
      ids.set(this.#ids)
      this.#ids = ids
      const rows = new Uint32Array(this.#count * 2)
      rows.set(this.#rows)
      this.#rows = rows
    }
    this.#ids[this.#count] = id
    this.#rows[this.#count++] = row
  }

  /** Addresses and their rows, ascending. */
  sorted(): { readonly ids: Float64Array; readonly rows: Uint32Array } {
    const order = radixOrder(this.#ids.subarray(0, this.#count))
    const ids = new Float64Array(order.length)
    const rows = new Uint32Array(order.length)
    for (let at = 0; at < order.length; at++) {
      const entry = u32At(order, at)
      ids[at] = f64At(this.#ids, entry)
      rows[at] = u32At(this.#rows, entry)
    }
    return { ids, rows }
  }
}

/** Columns of the key of `table` from `rows`, each of which begins with its key in order. */
export function keysOfRows<T extends Table>(
  { key }: T,
  rows: readonly (readonly Value[])[],
): { readonly [Name in T['key'][number]]: Column } {
  const columns = key.map((name, at) => [name, rows.map((row) => row[at] ?? null)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name of the key is there
  return Object.fromEntries(columns) as { readonly [Name in T['key'][number]]: Column }
}
