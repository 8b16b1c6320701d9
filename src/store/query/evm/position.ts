/** Positions: `pos = height × 2^20 + place in the block`, the order of history. */

import { Fault } from '../../../core/fault.ts'
import { u8At } from '../../../core/item-at.ts'
import type { Over, Reader, Statement, Value } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { integerAt } from '../row-values.ts'

/** Positions a list is limited to, half-open. */
export type PosRange = { readonly from: number; readonly until: number }

// 2^33 blocks are the most that positions can hold exactly.
const maxHeight = 2 ** 33

/** Direction of a walk through history. */
export type Direction = 'desc' | 'asc'

/** A part of a list: newest first, or in `direction`. */
export type ListPart = {
  readonly range: PosRange
  readonly limit: number
  readonly direction?: Direction
}

/** How answers of history combine that come in a direction. */
export const overOf = { desc: 'newest', asc: 'oldest' } as const satisfies Record<Direction, Over>

/** Positions of blocks `[startBlock, endBlock)`; a missing end is open. Throws `bad-parameter`. */
export function posRange(startBlock: number | undefined, endBlock: number | undefined): PosRange {
  if (startBlock !== undefined && endBlock !== undefined && startBlock > endBlock)
    throw new Fault('bad-parameter', `startBlock is above endBlock: ${startBlock}, ${endBlock}`)
  return {
    from: posOfHeight(startBlock ?? 0),
    until: endBlock === undefined ? Number.MAX_SAFE_INTEGER : posOfHeight(endBlock),
  }
}

/** Returns the part of `range` before position `before`. */
export function rangeBefore(range: PosRange, before: number | undefined): PosRange {
  return before === undefined ? range : { ...range, until: Math.min(range.until, before) }
}

/** First position of a block. */
export function posOfHeight(height: number): number {
  return Math.min(height, maxHeight) * placesPerBlock
}

/** Height of the block of a position. */
export function heightOf(pos: number): number {
  return Math.floor(pos / placesPerBlock)
}

/** Place in the block of a position. */
export function placeOf(pos: number): number {
  return pos % placesPerBlock
}

/** First 48 bits of a hash, as the hash indexes have them, or of an address. */
export function hashPrefix(hash: Uint8Array): number {
  let prefix = 0
  for (let at = 0; at < 6; at++) prefix = prefix * 256 + u8At(hash, at)
  return prefix
}

/** A question for the positions of a list; its parameters are those of its subject, and a {@link ListPart}. */
export function positionsOf<S>(
  questions: Readonly<Record<Direction, Statement>>,
  subjectOf: (query: S) => readonly Value[],
): (store: Reader, query: ListPart & S) => Promise<number[]> {
  return async (store, query) => {
    const { range, limit, direction = 'desc' } = query
    const values = [...subjectOf(query), range.from, range.until, limit]
    return (await store.all(questions[direction], values)).map((row) => integerAt(row, 0))
  }
}
