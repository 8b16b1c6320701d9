/** Orders of tables that people choose, and how many validators a quorum takes. */

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

/**
 * The fewest of `weights` that together hold `percent` of `total`; undefined where all of them do
 * not. Validators without a balance count in the total and cannot sign.
 *
 * Source: ACP-77; avalanchego takes inactive validators into the total weight.
 */
export function fewestHolding(
  weights: readonly number[],
  total: number,
  percent: number,
): number | undefined {
  let held = 0
  for (const [at, weight] of weights.toSorted((a, b) => b - a).entries()) {
    held += weight
    if (held * 100 >= total * percent) return at + 1
  }
  return undefined
}

/** Days a balance lasts at a fee a day, both in nAVAX; undefined where nothing is charged. */
export function daysLeft(balance: string | number, feePerDay: string): number | undefined {
  const fee = Number(feePerDay)
  return fee === 0 ? undefined : Number(balance) / fee
}
