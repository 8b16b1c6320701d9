/** Token transfers inside one transaction. */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'
import { transferPlace, transferRow, type TransferRow } from './transfer-row.ts'

const question = transferRow.statement(
  (columns) => `select ${columns}
   from transfer t
   ${transferPlace}
   where t.pos >= ? and t.pos < ? and t.tx_index = ?
   order by t.pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transfers of the transaction at `txPos`, in order of logs and of the entries of batches;
 * deposits and withdrawals of wrapped tokens included.
 *
 * Cost: one scan of the block's transfers by key (a block's gas pays for a few thousand).
 */
export async function transfersOfTransaction(store: Reader, txPos: number): Promise<TransferRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + placesPerBlock, placeOf(txPos)])
  return rows.map(transferRow.read)
}
