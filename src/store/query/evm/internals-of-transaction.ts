/** Internal transactions inside one transaction. */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { type InternalRow, internalsOf, internalStatement } from './internal-row.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'

const question = internalStatement(
  (columns) => `select ${columns}
   from internal i
   where i.pos >= ? and i.pos < ? and i.tx_index = ?
   order by i.pos`,
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)

/**
 * Listed call frames of the transaction at `txPos`, in the order they were entered.
 *
 * Cost: one scan of the block's frames by key.
 */
export async function internalsOfTransaction(store: Reader, txPos: number): Promise<InternalRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + placesPerBlock, placeOf(txPos)])
  return internalsOf(store, rows)
}
