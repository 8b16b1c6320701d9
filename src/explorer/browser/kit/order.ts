/** Orders of tables that people choose. */

/** The value by which a row is ordered. */
export type OrderKey = number | string

/** `-weight` is by weight, the most first. */
export type Order = { readonly name: string; readonly down: boolean }

/** An order as addresses write it. */
export function orderOf(text: string): Order {
  return text.startsWith('-') ? { name: text.slice(1), down: true } : { name: text, down: false }
}

/** Rows in an order; equal ones stay as they were, what has no key comes last. */
export function ordered<T>(
  rows: readonly T[],
  key: (row: T) => OrderKey | undefined,
  down: boolean,
): T[] {
  const turn = down ? -1 : 1
  return rows
    .map((row) => ({ row, by: key(row) }))
    .toSorted(({ by: a }, { by: b }) => {
      if (a === undefined || b === undefined)
        return Number(a === undefined) - Number(b === undefined)
      return a === b ? 0 : a < b ? -turn : turn
    })
    .map(({ row }) => row)
}
