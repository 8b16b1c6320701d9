/** Native transactions of an address. */

import type { Reader } from '../../engine/database.ts'
import type { PosRange } from './position.ts'
import { transactionPlace, transactionRow, type TransactionRow } from './transaction-row.ts'

const question = transactionRow.statement(
  (columns) => `select ${columns}
   from tx_by_address a
   join tx x on x.pos = a.pos
   ${transactionPlace}
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos desc limit ?`,
)

/**
 * Transactions an address sent, received or was created by, inside `range`, newest first.
 *
 * Cost: one range scan of `tx_by_address`, and two look-ups by key per row.
 */
export async function transactionsOfAddress(
  store: Reader,
  query: { readonly addressId: number; readonly range: PosRange; readonly limit: number },
): Promise<TransactionRow[]> {
  const { addressId, range, limit } = query
  const rows = await store.all(question, [addressId, range.from, range.until, limit])
  return rows.map(transactionRow.read)
}
