/** What stored transactions of a range of blocks say that their traces repeat. */

import { type Reader, statement } from '../../engine/database.ts'
import { posPerBlock } from '../../schema/evm.ts'
import { bytesAt, maybeBytesAt } from './row-values.ts'

/** One transaction. */
export type TracedRow = {
  readonly height: number
  readonly hash: Uint8Array
  readonly from: Uint8Array
  /** Receiver, or in a creation the created contract; absent where there is none. */
  readonly to: Uint8Array | undefined
  /** Big-endian, without leading zeros. */
  readonly value: Uint8Array
  readonly gasUsed: number
}

const question = statement(
  `select tx.pos, tx.hash, a.bytes, b.bytes, tx.value, tx.gas_used
   from tx join address a on a.id = tx.from_id
     left join address b on b.id = coalesce(tx.to_id, tx.created_id)
   where tx.pos >= ? and tx.pos < ? order by tx.pos`,
)

/**
 * Transactions of heights `[from, until)` in order. Cost: one range of `tx`, two look-ups by key for
 * each.
 */
export async function tracedTransactions(
  store: Reader,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<TracedRow[]> {
  const rows = await store.all(question, [from * posPerBlock, until * posPerBlock])
  return rows.map((row) => ({
    height: Math.floor(Number(row[0]) / posPerBlock),
    hash: bytesAt(row, 1),
    from: bytesAt(row, 2),
    to: maybeBytesAt(row, 3),
    value: bytesAt(row, 4),
    gasUsed: Number(row[5]),
  }))
}
