/** Puts rows in the order of their keys, by counting digits instead of comparing. */

import { f64At, itemAt, u32At, countsToPlaces } from '../../core/item-at.ts'

const digitRange = 2_048

/**
 * Numbers of `count` rows in order of `lanes`, whose numbers are whole and below 2^53; `undefined`
 * where they are in it already.
 */
export function keyOrder(lanes: readonly Float64Array[], count: number): Uint32Array | undefined {
  if (isOrdered(lanes, count)) return undefined
  let order = Uint32Array.from({ length: count }, (_, row) => row)
  let other = new Uint32Array(count)
  const starts = new Uint32Array(digitRange)
  // The last lane first: sorting by each keeps the order of those behind it.
  for (let at = lanes.length - 1; at >= 0; at--) {
    const lane = itemAt(lanes, at)
    const { least, range, isRising } = spanOf(lane, order)
    if (isRising) continue
    for (let scale = 1; scale <= range; scale *= digitRange) {
      const digitOf = (row: number): number =>
        Math.floor((f64At(lane, row) - least) / scale) % digitRange
      starts.fill(0)
      for (let at = 0; at < order.length; at++) {
        const digit = digitOf(u32At(order, at))
        starts[digit] = u32At(starts, digit) + 1
      }
      countsToPlaces(starts)
      for (let at = 0; at < order.length; at++) {
        const row = u32At(order, at)
        const digit = digitOf(row)
        const place = u32At(starts, digit)
        other[place] = row
        starts[digit] = place + 1
      }
      ;[order, other] = [other, order]
    }
  }
  return order
}

function isOrdered(lanes: readonly Float64Array[], count: number): boolean {
  for (let row = 1; row < count; row++) {
    for (const lane of lanes) {
      const difference = f64At(lane, row) - f64At(lane, row - 1)
      if (difference < 0) return false
      if (difference > 0) break
    }
  }
  return true
}

function spanOf(
  lane: Float64Array,
  order: Uint32Array,
): { readonly least: number; readonly range: number; readonly isRising: boolean } {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  let isRising = true
  let last = Number.NEGATIVE_INFINITY
  for (let at = 0; at < order.length; at++) {
    const value = f64At(lane, u32At(order, at))
    if (value < last) isRising = false
    if (value < least) least = value
    if (value > most) most = value
    last = value
  }
  return { least, range: most - least, isRising }
}
