/** One transaction. */

import type { Reader } from '../../engine/database.ts'
import { hashPrefix } from './position.ts'
import {
  transactionPlace,
  type TransactionWithFees,
  transactionWithFees,
} from './transaction-row.ts'

const byHash = transactionWithFees.statement(
  (columns) => `select ${columns}
   from tx_by_hash h
   join tx x on x.pos = h.pos
   ${transactionPlace}
   where h.hash_prefix = ? and x.hash = ?
   order by h.pos limit 1`,
  { over: 'newest' },
)

const byPos = transactionWithFees.statement(
  (columns) => `select ${columns} from tx x ${transactionPlace} where x.pos = ?`,
  { over: 'newest', within: { pos: [0] } },
)

/**
 * The transaction with a hash, or `undefined`.
 *
 * Cost: one range scan of `tx_by_hash` (one row, rarely two) and two look-ups by key.
 */
export async function transactionByHash(
  store: Reader,
  hash: Uint8Array,
): Promise<TransactionWithFees | undefined> {
  const row = await store.get(byHash, [hashPrefix(hash), hash])
  return row === undefined ? undefined : transactionWithFees.read(row)
}

/** The transaction at a position, or `undefined`. Cost: two look-ups by key. */
export async function transactionAt(
  store: Reader,
  pos: number,
): Promise<TransactionWithFees | undefined> {
  const row = await store.get(byPos, [pos])
  return row === undefined ? undefined : transactionWithFees.read(row)
}
