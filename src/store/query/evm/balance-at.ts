/** One ERC-20 balance as logs tell it. */

import { type Reader, statement } from '../../engine/database.ts'
import { bytesAt, integerAt } from '../row-values.ts'

/** Magnitude, big-endian, empty for zero; `negative` 1 where logs give less than nothing. */
export type BalanceAt = { readonly value: Uint8Array; readonly negative: number }

const question = statement(
  `select value, negative from balance
   where address_id = ? and token_id = ? and height <= ? order by height desc limit 1`,
  { over: 'last' },
)

/**
 * Balance of an address at a height; `undefined` before its first change.
 *
 * Cost: one look-up in the key of `balance`, and one in that of each segment.
 */
export async function balanceAt(
  store: Reader,
  of: { readonly addressId: number; readonly tokenId: number; readonly height: number },
): Promise<BalanceAt | undefined> {
  const row = await store.get(question, [of.addressId, of.tokenId, of.height])
  return row === undefined ? undefined : { value: bytesAt(row, 0), negative: integerAt(row, 1) }
}
