/** Where a contract was created. */

import { type Reader, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { heightOf, posOfHeight } from './position.ts'

/** The transaction that created a contract, and the contract that did it inside, if one did. */
export type CreationRow = { readonly txPos: number; readonly creatorId: number | undefined }

const byTransaction = statement(
  `select x.pos
   from (select pos from tx_by_address where address_id = ? order by pos limit ?) a
   join tx x on x.pos = a.pos
   where x.created_id = ? and x.status = 1
   order by a.pos limit 1`,
)

// Kinds 2 to 4 are the creations of `frameKinds` in the codec.
const byCall = statement(
  `select i.pos, i.tx_index, i.from_id
   from (select pos from internal_by_address where address_id = ? order by pos limit ?) a
   join internal i on i.pos = a.pos
   where i.to_id = ? and i.reverted = 0 and i.kind in (2, 3, 4)
   order by a.pos limit 1`,
)

// A contract is created before it is used; only coins can come earlier.
const entriesLookedAt = 1_000

/**
 * The first creation of the contract at an address, or `undefined`, also when it does not lie
 * among the first thousand entries of the address.
 *
 * Cost: one scan of at most 1,000 rows of `tx_by_address`, and of `internal_by_address` where
 * that finds nothing, a look-up by key per row.
 */
export async function creationOfContract(
  store: Reader,
  addressId: number,
): Promise<CreationRow | undefined> {
  const direct = await store.get(byTransaction, [addressId, entriesLookedAt, addressId])
  if (direct !== undefined) return { txPos: integerAt(direct, 0), creatorId: undefined }
  const inner = await store.get(byCall, [addressId, entriesLookedAt, addressId])
  if (inner === undefined) return undefined
  const pos = posOfHeight(heightOf(integerAt(inner, 0)))
  return { txPos: pos + integerAt(inner, 1), creatorId: integerAt(inner, 2) }
}
