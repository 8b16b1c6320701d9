/** Heights of the blocks before a moment. */

import type { Reader } from '../../engine/database.ts'
import { blockTimestamp } from './blocks.ts'

/**
 * The last height up to `newest` whose block is not younger than `seconds` (Unix); -1 where all are.
 *
 * Cost: one look-up by key for each halving of the heights, 27 on a chain of 100 million blocks.
 */
export async function heightAtTime(
  store: Reader,
  { seconds, newest }: { readonly seconds: number; readonly newest: number },
): Promise<number> {
  let known = -1
  let above = newest + 1
  while (above - known > 1) {
    const middle = Math.floor((known + above) / 2)
    const timestamp = await blockTimestamp(store, middle)
    // Heights before the first stored block have none.
    if (timestamp === undefined || timestamp <= seconds) known = middle
    else above = middle
  }
  return known
}
