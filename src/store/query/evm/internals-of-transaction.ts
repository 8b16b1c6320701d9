/** Internal transactions inside one transaction. */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { internalPlace, internalRow, type InternalRow } from './internal-row.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'

const question = internalRow.statement(
  (columns) => `select ${columns}
   from internal i
   ${internalPlace}
   where i.pos >= ? and i.pos < ? and i.tx_index = ?
   order by i.pos`,
)

/**
 * Listed call frames of the transaction at `txPos`, in the order they were entered.
 *
 * Cost: one scan of the block's frames by key.
 */
export async function internalsOfTransaction(store: Reader, txPos: number): Promise<InternalRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + placesPerBlock, placeOf(txPos)])
  return rows.map(internalRow.read)
}
