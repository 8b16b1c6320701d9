/** Facts about stored transactions of a range of blocks that their traces repeat. */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { bytes, integer, mapped, maybe, type RowOf, storedRow } from '../stored-row.ts'
import { heightOf } from './position.ts'

/** A transaction, its sender `a` and its receiver `b`. */
const tracedRow = storedRow({
  height: mapped(integer('tx.pos'), heightOf),
  hash: bytes('tx.hash'),
  from: bytes('a.bytes'),
  /** Receiver, or in a creation the created contract; absent where there is none. */
  to: maybe(bytes('b.bytes')),
  /** Big-endian, without leading zeros. */
  value: bytes('tx.value'),
  gasUsed: integer('tx.gas_used'),
})
/** One transaction. */
export type TracedRow = RowOf<typeof tracedRow>

const question = tracedRow.statement(
  (columns) => `select ${columns}
   from tx join address a on a.id = tx.from_id
     left join address b on b.id = coalesce(tx.to_id, tx.created_id)
   where tx.pos >= ? and tx.pos < ? order by tx.pos`,
)

/**
 * Transactions of heights `[from, until)` in order. Cost: one range of `tx`, two look-ups by key
 * for each.
 */
export async function tracedTransactions(
  store: Reader,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<TracedRow[]> {
  const rows = await store.all(question, [from * placesPerBlock, until * placesPerBlock])
  return rows.map(tracedRow.read)
}
