/** Internal transactions of an address. */

import type { Reader, Statement } from '../../engine/database.ts'
import { internalPlace, internalRow, type InternalRow } from './internal-row.ts'
import type { Direction, PosRange } from './position.ts'

const question = (direction: Direction): Statement =>
  internalRow.statement(
    (columns) => `select ${columns}
   from internal_by_address a
   join internal i on i.pos = a.pos
   ${internalPlace}
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
  )
const questions = { desc: question('desc'), asc: question('asc') }

/**
 * Listed call frames to or from an address inside `range`, newest first, or in `direction`, each once.
 *
 * Cost: one range scan of `internal_by_address`, and three look-ups by key per row.
 */
export async function internalsOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly range: PosRange
    readonly limit: number
    readonly direction?: Direction
  },
): Promise<InternalRow[]> {
  const { addressId, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [addressId, range.from, range.until, limit])
  return rows.map(internalRow.read)
}
