/** Where in a chain's history a moment falls. */

import { type Reader, statement } from '../../engine/database.ts'
import {
  blockOfPos,
  firstBlockPosOf,
  firstPosOf,
  posRangeOf,
  type PrimaryChain,
} from '../../schema/primary-position.ts'

const nextBlock = statement(
  'select id, timestamp from block where id >= ? and id < ? order by id limit 1',
  { over: 'tables' },
)

/**
 * First block of `chain` with a time after `moment` (or at it, when `inclusive`), as a `pos`; the
 * end of the chain's places when there is none. Times never fall within a chain. Cost: a binary
 * search, some 30 seeks of the key.
 */
async function firstPosAfter(
  reader: Reader,
  chain: PrimaryChain,
  moment: number,
  inclusive: boolean,
): Promise<number> {
  const range = posRangeOf(chain)
  let low = blockOfPos(range.from)
  let high = blockOfPos(range.until)
  const end = high
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await reader.get(nextBlock, [middle, end])
    const time = row === undefined ? undefined : Number(row[1])
    if (time === undefined || (inclusive ? time >= moment : time > moment)) high = middle
    else low = Number(row?.[0]) + 1
  }
  return firstPosOf(low)
}

/**
 * Places `[from, until)` of `chain` with times strictly after `start` and strictly before `end`.
 *
 * Outputs of the X-Chain from before its blocks come first in place, but not in the order of times:
 * all of them are included when `start` is before the first block, whatever `end` says.
 */
export async function placesBetween(
  reader: Reader,
  chain: PrimaryChain,
  start: number | undefined,
  end: number | undefined,
): Promise<{ readonly from: number; readonly until: number }> {
  const whole = posRangeOf(chain)
  const from = start === undefined ? whole.from : await firstPosAfter(reader, chain, start, false)
  const until = end === undefined ? whole.until : await firstPosAfter(reader, chain, end, true)
  return { from, until: Math.max(until, firstBlockPosOf(chain)) }
}
