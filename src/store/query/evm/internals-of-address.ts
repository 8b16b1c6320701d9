/** Internal transactions of an address. */

import type { Reader } from '../../engine/database.ts'
import { internalPlace, internalRow, type InternalRow } from './internal-row.ts'
import type { PosRange } from './position.ts'

const question = internalRow.statement(
  (columns) => `select ${columns}
   from internal_by_address a
   join internal i on i.pos = a.pos
   ${internalPlace}
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos desc limit ?`,
)

/**
 * Listed call frames to or from an address inside `range`, newest first, each once.
 *
 * Cost: one range scan of `internal_by_address`, and three look-ups by key per row.
 */
export async function internalsOfAddress(
  store: Reader,
  query: { readonly addressId: number; readonly range: PosRange; readonly limit: number },
): Promise<InternalRow[]> {
  const { addressId, range, limit } = query
  const rows = await store.all(question, [addressId, range.from, range.until, limit])
  return rows.map(internalRow.read)
}
