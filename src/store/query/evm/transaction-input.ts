/** Input data of a transaction, as it is stored. */

import { type Reader, statement } from '../../engine/database.ts'
import { bytesAt, integerAt } from '../row-values.ts'
import { heightOf, posOfHeight } from './position.ts'

const packed = statement('select inputs from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

const before = statement(
  'select coalesce(sum(input_length), 0) from tx where pos >= ? and pos < ?',
  {
    // The sum of bigints is a numeric there.
    postgres: 'select coalesce(sum(input_length), 0)::bigint from tx where pos >= ? and pos < ?',
    over: 'sum',
    within: { pos: [0, 1] },
  },
)

/** Inputs of the whole block, compressed, and where the one wanted begins when unpacked. */
export type PackedInput = { readonly inputs: Uint8Array; readonly offset: number }

/**
 * The packed inputs of the block of transaction `txPos`.
 *
 * Cost: one look-up of the block, and one scan of the block's transactions up to this one.
 */
export async function packedInput(store: Reader, txPos: number): Promise<PackedInput | undefined> {
  const height = heightOf(txPos)
  const [block, sum] = await Promise.all([
    store.get(packed, [height]),
    store.get(before, [posOfHeight(height), txPos]),
  ])
  if (block === undefined || sum === undefined) return undefined
  return { inputs: bytesAt(block, 0), offset: integerAt(sum, 0) }
}
