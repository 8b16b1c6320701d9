/** The order in which rows are written: that of their key, so that a tree is walked once. */

/**
 * Places of `keys`, integers from 0, in ascending order of what stands there; equal ones in their
 * order.
 */
export function sortedOrder(keys: ArrayLike<number>): Uint32Array {
  const { length } = keys
  let greatest = 0
  for (let at = 0; at < length; at++) greatest = Math.max(greatest, keys[at] ?? 0)
  return (greatest + 1) * length <= Number.MAX_SAFE_INTEGER
    ? orderOfJoined(keys)
    : orderOfCompared(keys)
}

/** Key and place as one number sort without a call per comparison: 5 times as fast. */
function orderOfJoined(keys: ArrayLike<number>): Uint32Array {
  const { length } = keys
  const joined = new Float64Array(length)
  for (let at = 0; at < length; at++) joined[at] = (keys[at] ?? 0) * length + at
  joined.sort()
  const order = new Uint32Array(length)
  for (let at = 0; at < length; at++) {
    const one = joined[at] ?? 0
    order[at] = one - Math.floor(one / length) * length
  }
  return order
}

function orderOfCompared(keys: ArrayLike<number>): Uint32Array {
  const order = Uint32Array.from({ length: keys.length }, (_, at) => at)
  return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
}

/** `values` in `order`. */
export function inOrder(values: ArrayLike<number>, order: ArrayLike<number>): Float64Array {
  const sorted = new Float64Array(order.length)
  for (let at = 0; at < order.length; at++) sorted[at] = values[order[at] ?? 0] ?? 0
  return sorted
}
