/** Native transactions of an address. */

import type { Reader, Statement } from '../../engine/database.ts'
import { type Direction, overOf, type PosRange } from './position.ts'
import { transactionPlace, transactionRow, type TransactionRow } from './transaction-row.ts'

const question = (direction: Direction): Statement =>
  transactionRow.statement(
    (columns) => `select ${columns}
   from tx_by_address a
   join tx x on x.pos = a.pos
   ${transactionPlace}
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], within: { pos: [1, 2] } },
  )
const questions = { desc: question('desc'), asc: question('asc') }

/**
 * Transactions an address sent, received or was created by, inside `range`, newest first, or in `direction`.
 *
 * Cost: one range scan of `tx_by_address`, and two look-ups by key per row.
 */
export async function transactionsOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly range: PosRange
    readonly limit: number
    readonly direction?: Direction
  },
): Promise<TransactionRow[]> {
  const { addressId, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [addressId, range.from, range.until, limit])
  return rows.map(transactionRow.read)
}
