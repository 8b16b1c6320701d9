/** Ratios of this checkout to another one, measured in turns. */

import { itemAt } from '../src/core/item-at.ts'

/** Prints the median of `ratios` and their quartiles. */
export function printRatios(name: string, ratios: readonly number[]): void {
  const sorted = ratios.toSorted((a, b) => a - b)
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) =>
    itemAt(sorted, Math.floor(sorted.length * part)).toFixed(2),
  )
  console.log(`${name.padEnd(24)} ${middle} x (quartiles ${low}, ${high}; ${sorted.length})`)
}
