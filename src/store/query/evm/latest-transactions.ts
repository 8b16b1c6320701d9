/** Transactions of a chain by position. */

import type { Reader } from '../../engine/database.ts'
import type { PosRange } from './position.ts'
import { transactionPlace, transactionRow, type TransactionRow } from './transaction-row.ts'

const all = transactionRow.statement(
  (columns) => `select ${columns}
   from tx x ${transactionPlace}
   where x.pos >= ? and x.pos < ?
   order by x.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const succeeded = transactionRow.statement(
  (columns) => `select ${columns}
   from tx x ${transactionPlace}
   where x.pos >= ? and x.pos < ? and x.status = 1
   order by x.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const failed = transactionRow.statement(
  (columns) => `select ${columns}
   from tx_failed f
   join tx x on x.pos = f.pos
   ${transactionPlace}
   where f.pos >= ? and f.pos < ?
   order by f.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const inOrder = transactionRow.statement(
  (columns) => `select ${columns}
   from tx x ${transactionPlace}
   where x.pos >= ? and x.pos < ?
   order by x.pos limit ?`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transactions inside `range`, newest first; with `status` only those that failed or did not.
 *
 * Cost: one range scan of `tx` by key, or of `tx_failed` and a look-up per row. Success is
 * filtered on the scan: most transactions succeed.
 */
export async function latestTransactions(
  store: Reader,
  query: {
    readonly status: 'failed' | 'success' | undefined
    readonly range: PosRange
    readonly limit: number
  },
): Promise<TransactionRow[]> {
  const { status, range, limit } = query
  const question = status === undefined ? all : status === 'failed' ? failed : succeeded
  const rows = await store.all(question, [range.from, range.until, limit])
  return rows.map(transactionRow.read)
}

/** Transactions inside `range` in order of history. Cost: one range scan of `tx` by key. */
export async function transactionsInOrder(
  store: Reader,
  query: { readonly range: PosRange; readonly limit: number },
): Promise<TransactionRow[]> {
  const { range, limit } = query
  const rows = await store.all(inOrder, [range.from, range.until, limit])
  return rows.map(transactionRow.read)
}
